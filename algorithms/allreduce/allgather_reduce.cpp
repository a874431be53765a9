// SPDX-License-Identifier: BSD-3-Clause
//
// All-gather and reduce: an all-gather, an inner algorithm, brings every rank the vectors of all.
// Each then combines them by itself, in the order of ranks, so that all have the same bits.
//
// Steps   those of the inner algorithm
// Cost    the inner algorithm's with whole vectors, and (p-1) m gamma
// Limits  what the inner algorithm demands; operators need not commute
// Memory  p vectors
// Source  Faraj 2006, sections 4.1.1.1 (all-gather based) and 4.3.1.1
//
//   p = 3, inner=ring   step 0: 0 sends its vector to 1, 1 to 2, 2 to 0
//                       step 1: 0 sends that of 2 to 1, 1 that of 0 to 2, 2 that of 1 to 0
//                       then: each rank combines those of 0, 1 and 2
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/reduce/segment_gather.h"
#include "algorithms/schedule.h"
#include "algorithms/shared/inner.h"

namespace gatherbench::algorithms {

namespace {

Phase gather_of(const Problem& problem) { return {problem.inner(), problem, all_ranks(problem)}; }

/// Returns the schedule of a rank that gathers by `gather`.
Schedule combining(Schedule gather, const Problem& problem, int rank) {
  gather.contributions = problem.ranks;
  gather.own_contribution = rank;
  return gather;
}

Schedule allgather_reduce_schedule(const Problem& problem) {
  return combining(gather_of(problem).at(problem.rank), problem, problem.rank);
}

std::vector<Schedule> allgather_reduce_schedules(const Problem& problem) {
  std::vector<Schedule> schedules = gather_of(problem).all();
  for (int rank = 0; rank < problem.ranks; ++rank) {
    Schedule& one = schedules[static_cast<std::size_t>(rank)];
    one = combining(std::move(one), problem, rank);
  }
  return schedules;
}

Amount amount_of_gather(const Problem& problem, std::optional<Formula> Algorithm::*formula) {
  return gather_of(problem).amount(formula);
}

}  // namespace

extern constinit const Algorithm allreduce_allgather_reduce{
    .name = "allgather_reduce",
    .title = "All-gather and reduce",
    .summary = "an all-gather of the vectors, which each rank then combines",
    .source = "Faraj 2006, 4.1.1.1",
    .kind = &collectives::allreduce,
    .needs = Needs{"what the inner one needs",
                   [](const Problem& problem) { return gather_of(problem).why_not(); }},
    .parameters = {{.name = "inner",
                    .summary = "the all-gather of the vectors",
                    .default_value = &bruck_in_place,
                    .kind = &collectives::allgather,
                    .is_phase = true}},
    .combines_at_end = true,
    .keeps_order = true,
    .steps = Formula{"inner(p)",
                     [](const Problem& problem) {
                       return amount_of_gather(problem, &Algorithm::steps);
                     }},
    .messages = Formula{"inner(p)",
                        [](const Problem& problem) {
                          return amount_of_gather(problem, &Algorithm::messages);
                        }},
    .bytes = Formula{"p(p-1)m",
                     [](const Problem& problem) -> Amount {
                       const std::int64_t p = problem.ranks;
                       return p * (p - 1) * problem.bytes(0);
                     }},
    .barriers = Formula{"inner(p)",
                        [](const Problem& problem) {
                          return amount_of_gather(problem, &Algorithm::barriers);
                        }},
    .how = Schedules{.of_rank = allgather_reduce_schedule, .of_all = allgather_reduce_schedules}};

}  // namespace gatherbench::algorithms
