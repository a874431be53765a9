// SPDX-License-Identifier: BSD-3-Clause
//
// Bidirectional ring: the ring both ways at once. Every block travels half the ring to the right
// and half to the left; with an even number of ranks the opposite one gets it from its left
// neighbour.
//
// Steps   floor(p/2), with 2 peers
// Cost    p/2 alpha for each direction, (p-1) m/p beta of one port, half of that of two
// Limits  none
// Memory  none beside the receive buffer
// Source  the ring (Loch 2021, section 2.4.1), both ways
//
//   p = 5, blocks held   rank 0      rank 1      rank 2      rank 3      rank 4
//   start                0 . . . .   . 1 . . .   . . 2 . .   . . . 3 .   . . . . 4
//   step 0               0 1 . . 4   0 1 2 . .   . 1 2 3 .   . . 2 3 4   0 . . 3 4
//   step 1               0 1 2 3 4   0 1 2 3 4   0 1 2 3 4   0 1 2 3 4   0 1 2 3 4
#include "algorithms/shared/formulas.h"

namespace gatherbench::algorithms {
namespace {

Schedule ring_bidirectional_schedule(const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  const int right = (r + 1) % p;
  const int left = (r - 1 + p) % p;
  const int steps = p / 2;
  Schedule schedule;
  schedule.reserve(static_cast<std::size_t>(steps), static_cast<std::size_t>(p),
                   static_cast<std::size_t>(p));
  for (int s = 0; s < steps; ++s) {
    const bool to_left_too = 2 * s + 2 < p;
    schedule.begin_step();
    schedule.send(right, {(r - s + p) % p, 1});
    if (to_left_too) schedule.send(left, {(r + s) % p, 1});
    schedule.receive(left, {(left - s + p) % p, 1});
    if (to_left_too) schedule.receive(right, {(right + s) % p, 1});
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm ring_bidirectional{
    .name = "ring_bidirectional",
    .title = "Bidirectional ring",
    .summary = "pass blocks on to both neighbours, half the way each",
    .source = "the ring of Loch 2021, 2.4.1, both ways",
    .can_be_inner = true,
    .symmetry = Symmetry::shift,
    .growth = Growth::linear,
    .steps =
        Formula{"floor(p/2)", [](const Problem& problem) -> Amount { return problem.ranks / 2; }},
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = ring_bidirectional_schedule}};

}  // namespace gatherbench::algorithms
