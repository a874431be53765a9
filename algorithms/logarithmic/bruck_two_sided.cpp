// SPDX-License-Identifier: BSD-3-Clause
//
// Two-sided Bruck: the Bruck algorithm of radix 3 with its own block in the middle. A rank
// exchanges with one rank on each side, both n away if it holds n blocks, so that distances are
// half as long as with all partners on one side. At the end less is missing.
//
// Steps   ceil(log3 p), for any p, with up to 2 peers
// Cost    2 ceil(log3 p) alpha + (p-1) m/p beta
// Limits  none
// Memory  none beside the receive buffer; a range that wraps around its end is two
// Source  Bruck et al. 1997 (two ports), centred; the all-gather half of Trivance (2026), arXiv
//         2602.17254
//
//   p = 7, blocks held   rank 0                           rank 3
//   start                0 . . . . . .                    . . . 3 . . .
//   step 0               0 1 . . . . 6  (with 6 and 1)    . . 2 3 4 . .  (with 2 and 4)
//   step 1               0 1 2 3 4 5 6  (with 4 and 3)    0 1 2 3 4 5 6  (with 0 and 6)
#include <algorithm>

#include "algorithms/shared/formulas.h"

namespace gatherbench::algorithms {
namespace {

/// The blocks that a rank holds, its own in the middle, and the number that comes from each side.
struct Sides {
  int ranks;
  int below = 0;
  int above = 0;
  [[nodiscard]] int held() const { return below + 1 + above; }
  [[nodiscard]] int from_above() const { return std::min(held(), (ranks - held() + 1) / 2); }
  [[nodiscard]] int from_below() const { return std::min(held(), ranks - held() - from_above()); }
  void grow() {
    const int more_above = from_above();
    below += from_below();
    above += more_above;
  }
};

Schedule bruck_two_sided_schedule(const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  Schedule schedule;
  for (Sides sides{p}; sides.held() < p; sides.grow()) {
    const int n = sides.held();
    const int upper = (r + n) % p;
    const int lower = (r - n + p) % p;
    const int up = sides.from_above();  // so many move to the lower rank
    const int down = sides.from_below();
    schedule.begin_step();
    for (const BlockRange blocks : CyclicRange(r - sides.below, up, p)) {
      schedule.send(lower, blocks);
    }
    for (const BlockRange blocks : CyclicRange(upper - sides.below, up, p)) {
      schedule.receive(upper, blocks);
    }
    if (down == 0) continue;
    for (const BlockRange blocks : CyclicRange(r + sides.above - down + 1, down, p)) {
      schedule.send(upper, blocks);
    }
    for (const BlockRange blocks : CyclicRange(lower + sides.above - down + 1, down, p)) {
      schedule.receive(lower, blocks);
    }
  }
  return schedule;
}

/// Steps, and transfers that one rank sends.
struct TwoSidedCount {
  std::int64_t steps = 0;
  std::int64_t transfers = 0;
};
TwoSidedCount two_sided_count(const Problem& problem) {
  TwoSidedCount counted;
  for (Sides sides{problem.ranks}; sides.held() < problem.ranks; sides.grow()) {
    ++counted.steps;
    const bool same_peer = 2 * sides.held() == problem.ranks;
    counted.transfers += same_peer || sides.from_below() == 0 ? 1 : 2;
  }
  return counted;
}

}  // namespace

extern constinit const Algorithm bruck_two_sided{
    .name = "bruck_two_sided",
    .title = "Two-sided Bruck",
    .summary = "Bruck of radix 3 with a partner on each side",
    .source = "Bruck et al. 1997; Trivance 2026",
    .symmetry = Symmetry::shift,
    .growth = Growth::logarithmic,
    .steps =
        Formula{"ceil(log3 p)",
                [](const Problem& problem) -> Amount { return two_sided_count(problem).steps; }},
    // A range of n blocks, which a transfer has, wraps at n-1 ranks.
    .messages = Formula{"(p-1)(M+1), M = transfers of a rank",
                        [](const Problem& problem) -> Amount {
                          return (problem.ranks - 1) * (two_sided_count(problem).transfers + 1);
                        }},
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = bruck_two_sided_schedule}};

}  // namespace gatherbench::algorithms
