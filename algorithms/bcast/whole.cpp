// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcasts that leave the block whole.
//   flat      the root sends to all others, all in flight at once
//   binomial  in a binomial tree, far ranks first
//
// Steps   flat: 1, with p-1 peers. binomial: ceil(log2 p)
// Cost    flat: (p-1) (alpha + m beta). binomial: ceil(log2 p) (alpha + m beta)
// Limits  none
// Memory  none beside the block
// Source  Faraj 2006, section 3.4 (flat and binomial tree); Pjesivac-Grbovic et al. 2007
//
//   p = 4, root 0   flat                 binomial
//   step 0          0 sends to 1, 2, 3   0 sends to 2
//   step 1                               0 sends to 1, 2 to 3
#include <numeric>
#include <vector>

#include "algorithms/bcast/tree_place.h"
#include "algorithms/binomial_tree.h"
#include "algorithms/shared/formulas.h"

namespace gatherbench::algorithms {
namespace {

Schedule to_all_at_once(const Problem& problem) {
  Schedule schedule;
  if (problem.ranks == 1) return schedule;
  schedule.begin_step();
  if (problem.rank != 0) {
    schedule.receive(0, {0, 1});
    return schedule;
  }
  for (int rank = 1; rank < problem.ranks; ++rank) schedule.send(rank, {0, 1});
  return schedule;
}

Schedule in_binomial_tree(const Problem& problem) {
  std::vector<int> ranks(static_cast<std::size_t>(problem.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  Schedule schedule;
  add_binomial_broadcast(schedule, ranks, problem.rank, {0, 1});
  return schedule;
}

}  // namespace

extern constinit const Algorithm bcast_flat{
    .name = "flat",
    .summary = "the root sends to all, all in flight",
    .source = "Faraj 2006, 3.4",
    .kind = &collectives::bcast,
    .can_be_inner = true,
    .growth = Growth::linear,  // in messages, of its one step
    .steps =
        Formula{"1", [](const Problem& problem) -> Amount { return problem.ranks > 1 ? 1 : 0; }},
    .messages = formulas::p_minus_1,
    .bytes = bytes_to_all,
    .how = Schedules{.of_rank = to_all_at_once}};

extern constinit const Algorithm bcast_binomial{
    .name = "binomial",
    .summary = "binomial tree, far ranks first",
    .source = "Faraj 2006, 3.4",
    .default_of = "MPICH (small blocks)",
    .kind = &collectives::bcast,
    .can_be_inner = true,
    .growth = Growth::logarithmic,
    .steps = Formula{"ceil(log2 p)",
                     [](const Problem& problem) -> Amount {
                       return formulas::log2_ceil(problem.ranks);
                     }},
    .messages = formulas::p_minus_1,
    .bytes = bytes_to_all,
    .how = Schedules{.of_rank = in_binomial_tree}};

}  // namespace gatherbench::algorithms
