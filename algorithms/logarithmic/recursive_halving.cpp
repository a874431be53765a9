// SPDX-License-Identifier: BSD-3-Clause
//
// Recursive halving: partners at distance p/2, p/4, ..., 1 exchange all they hold. What a rank
// holds lies scattered until the last step.
//
// Steps   log2 p, with 2^s blocks in step s, each of them a range of its own
// Cost    log2 p alpha + (p-1) m/p beta
// Limits  p a power of two
// Memory  none beside the receive buffer
// Source  Pappalardo et al., recursive halving. Their listing leaves the blocks in another order;
//         here each is received at its place.
//
//   p = 4, blocks held   rank 0    rank 1    rank 2    rank 3
//   start                0 . . .   . 1 . .   . . 2 .   . . . 3
//   step 0               0 . 2 .   . 1 . 3   0 . 2 .   . 1 . 3
//   step 1               0 1 2 3   0 1 2 3   0 1 2 3   0 1 2 3
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"

namespace gatherbench::algorithms {
namespace {

Schedule recursive_halving_schedule(const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  const auto blocks = static_cast<std::size_t>(p) - 1;
  Schedule schedule;
  schedule.reserve(blocks, blocks, blocks);
  for (int distance = p / 2; distance > 0; distance /= 2) {
    // Held are the blocks whose number is the rank's, modulo the distance of the step before.
    const int apart = 2 * distance;
    const int partner = r ^ distance;
    schedule.begin_step();
    for (int block = r % apart; block < p; block += apart) schedule.send(partner, {block, 1});
    for (int block = partner % apart; block < p; block += apart) {
      schedule.receive(partner, {block, 1});
    }
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm recursive_halving{
    .name = "recursive_halving",
    .summary = "exchange all that is held at halving distances",
    .source = "Pappalardo et al., 6",
    .needs = limits::power_of_two,
    .can_be_inner = true,
    .symmetry = Symmetry::bitwise_xor,
    .growth = Growth::logarithmic,
    .steps = formulas::log2_p,
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = recursive_halving_schedule}};

}  // namespace gatherbench::algorithms
