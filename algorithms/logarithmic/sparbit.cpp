// SPDX-License-Identifier: BSD-3-Clause
//
// Sparbit (stripe parallel binomial trees): every block travels down a binomial tree of its own,
// all p trees at once, with distances that halve from step to step while the data doubles. Where p
// is no power of two, a rank leaves out the one block whose tree has no further child for it.
//
// Steps   ceil(log2 p), for any p; one message a block, all of a step in flight at once
// Cost    ceil(log2 p) alpha + (p-1) m/p beta + (p - log2 p - 1) tau, tau = issuing one more
//         message
// Limits  none
// Memory  none beside the receive buffer
// Source  Loch 2021, Algorithm 1 (its line 7 tests `ignore_vector`; that is line 5's
//         `ignore_steps`)
//
//   p = 5, blocks held   rank 0      rank 1      rank 2      rank 3      rank 4
//   start                0 . . . .   . 1 . . .   . . 2 . .   . . . 3 .   . . . . 4
//   step 0, distance 4   0 1 . . .   . 1 2 . .   . . 2 3 .   . . . 3 4   0 . . . 4
//   step 1, distance 2   0 1 . 3 .   . 1 2 . 4   0 . 2 3 .   . 1 . 3 4   0 . 2 . 4
//   step 2, distance 1   0 1 2 3 4   0 1 2 3 4   0 1 2 3 4   0 1 2 3 4   0 1 2 3 4
#include <bit>

#include "algorithms/shared/formulas.h"

namespace gatherbench::algorithms {
namespace {

Schedule sparbit_schedule(const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  Schedule schedule;
  if (p == 1) return schedule;  // nothing to do, and no distance to begin with

  const auto ranks = static_cast<unsigned>(p);
  const int zeros = std::countr_zero(ranks);
  const unsigned ignore_steps = (~(ranks >> zeros) | 1U) << zeros;
  const auto blocks = static_cast<std::size_t>(p) - 1;
  schedule.reserve(static_cast<std::size_t>(std::bit_width(ranks)), blocks, blocks);

  int held = 1;
  for (unsigned distance = std::bit_ceil(ranks) / 2; distance > 0; distance /= 2) {
    const int ignored = (distance & ignore_steps) != 0 ? 1 : 0;
    const auto d = static_cast<int>(distance);
    const int to = (r + d) % p;
    const int from = (r - d + p) % p;
    schedule.begin_step();
    int block = r;
    int arriving = from;
    const int apart = static_cast<int>(2L * d % p);
    for (int j = 0; j < held - ignored; ++j) {
      schedule.send(to, {block, 1});
      schedule.receive(from, {arriving, 1});
      block = block >= apart ? block - apart : block - apart + p;
      arriving = arriving >= apart ? arriving - apart : arriving - apart + p;
    }
    held = 2 * held - ignored;
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm sparbit{
    .name = "sparbit",
    .summary = "parallel binomial trees at halving distances, one message a block",
    .source = "Loch 2021, chapter 4",
    .default_of = "Open MPI main (one node, above 128 ranks)",
    .can_be_inner = true,
    .symmetry = Symmetry::shift,
    .growth = Growth::logarithmic,
    .steps = Formula{"ceil(log2 p)", formulas::log2_p.at},
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = sparbit_schedule}};

}  // namespace gatherbench::algorithms
