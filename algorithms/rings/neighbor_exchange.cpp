// SPDX-License-Identifier: BSD-3-Clause
//
// Neighbor exchange: pairs of neighbours exchange blocks, with the neighbour on one side and the
// one on the other in turn. From the second step on each passes on the two blocks it got last.
//
// Steps   p/2, one block in the first, two in the others
// Cost    p/2 alpha + (p-1) m/p beta
// Limits  even p
// Memory  none beside the receive buffer
// Source  Chen et al. 2005; Loch 2021, section 2.4.2
//
//   p = 6, blocks held by rank 0     and by rank 1
//   start     0 . . . . .            . 1 . . . .
//   step 0    0 1 . . . .  (with 1)  0 1 . . . .  (with 0)
//   step 1    0 1 . . 4 5  (with 5)  0 1 2 3 . .  (with 2)
//   step 2    0 1 2 3 4 5  (with 1)  0 1 2 3 4 5  (with 0)
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"

namespace gatherbench::algorithms {
namespace {

Schedule neighbor_exchange_schedule(const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  const int right = (r + 1) % p;
  const int left = (r - 1 + p) % p;
  const bool even = r % 2 == 0;
  const auto steps = static_cast<std::size_t>(p) / 2;
  Schedule schedule;
  schedule.reserve(steps, steps, steps);

  const int first_partner = even ? right : left;
  schedule.begin_step();
  schedule.send(first_partner, {r, 1});
  schedule.receive(first_partner, {first_partner, 1});

  // Blocks travel in pairs (2k, 2k+1). The own pair goes out first, and what comes in is the pair
  // two places further each time, from the right and from the left in turn.
  int outgoing = even ? r : r - 1;
  int from_right = (outgoing + 2) % p;
  int from_left = (outgoing - 2 + p) % p;
  for (std::size_t s = 1; s < steps; ++s) {
    const bool with_right = (s % 2 == 0) == even;
    const int partner = with_right ? right : left;
    const int incoming = with_right ? from_right : from_left;
    schedule.begin_step();
    schedule.send(partner, {outgoing, 2});
    schedule.receive(partner, {incoming, 2});
    if (with_right) {
      from_right = (from_right + 2) % p;
    } else {
      from_left = (from_left - 2 + p) % p;
    }
    outgoing = incoming;
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm neighbor_exchange{
    .name = "neighbor_exchange",
    .summary = "exchange pairs of blocks with both neighbours in turn",
    .source = "Chen et al. 2005; Loch 2021, 2.4.2",
    .default_of = "Open MPI (middle blocks from 32 ranks on, large ones from 512)",
    .needs = Needs{"even p",
                   [](const Problem& problem) {
                     return limits::unless(problem.ranks % 2 == 0, "an even number of ranks",
                                           problem);
                   }},
    .can_be_inner = true,
    .symmetry = Symmetry::shift,
    .period = [](const Problem&) { return 2; },
    .growth = Growth::linear,
    .steps = Formula{"p/2", [](const Problem& problem) -> Amount { return problem.ranks / 2; }},
    .messages = Formula{"p^2/2",
                        [](const Problem& problem) -> Amount {
                          return formulas::ranks(problem) * formulas::ranks(problem) / 2;
                        }},
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = neighbor_exchange_schedule}};

}  // namespace gatherbench::algorithms
