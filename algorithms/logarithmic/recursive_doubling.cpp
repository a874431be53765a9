// SPDX-License-Identifier: BSD-3-Clause
//
// Recursive doubling: in step s, partners at distance 2^s exchange all they hold, so that what a
// rank holds (one aligned range) doubles each time.
//
// Steps   log2 p, with 2^s blocks in step s
// Cost    log2 p alpha + (p-1) m/p beta
// Limits  p a power of two
// Memory  none beside the receive buffer
// Source  Loch 2021, section 2.4.3
//
//   p = 4, blocks held   rank 0    rank 1    rank 2    rank 3
//   start                0 . . .   . 1 . .   . . 2 .   . . . 3
//   step 0               0 1 . .   0 1 . .   . . 2 3   . . 2 3
//   step 1               0 1 2 3   0 1 2 3   0 1 2 3   0 1 2 3
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"

namespace gatherbench::algorithms {
namespace {

Schedule recursive_doubling_schedule(const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  Schedule schedule;
  for (int distance = 1; distance < p; distance *= 2) {
    const int partner = r ^ distance;
    const int own_range = r & ~(distance - 1);
    schedule.begin_step();
    schedule.send(partner, {own_range, distance});
    schedule.receive(partner, {own_range ^ distance, distance});
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm recursive_doubling{
    .name = "recursive_doubling",
    .summary = "exchange all that is held at doubling distances",
    .source = "Loch 2021, 2.4.3",
    .default_of =
        "MPICH (blocks that are not large, p a power of two), Open MPI (all blocks below 32 ranks, "
        "small ones above), MVAPICH (small blocks)",
    .needs = limits::power_of_two,
    .can_be_inner = true,
    .symmetry = Symmetry::bitwise_xor,
    .growth = Growth::logarithmic,
    .steps = formulas::log2_p,
    .messages = Formula{"p log2 p",
                        [](const Problem& problem) -> Amount {
                          return formulas::ranks(problem) * formulas::log2_ceil(problem.ranks);
                        }},
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = recursive_doubling_schedule}};

}  // namespace gatherbench::algorithms
