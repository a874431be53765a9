// SPDX-License-Identifier: BSD-3-Clause
//
// Rabenseifner's: recursive halving as in the reduction's butterfly, so that each rank has one
// segment of the result, then an all-gather of the segments by an inner algorithm: recursive
// doubling, unless another one is chosen. If p is no power of two, P = 2^floor(log2 p), the first
// 2(p - P) ranks fold their vectors in pairs first, and the odd ones get the result at the end.
//
// Steps   log2 P and those of the inner algorithm; 2 more if p is no power of two
// Cost    2 log2 p alpha + (p-1)/p m (2 beta + gamma) if p is a power of two
// Limits  operators that commute: the farthest ranks are combined first, so that segments are in
//         the order of ranks. (The papers begin with neighbours, which costs the same.) What the
//         inner algorithm demands of a power of two of ranks
// Memory  half of a vector for what comes in
// Source  Rabenseifner 2004; Thakur, Rabenseifner, Gropp 2005, section 4.5; with other inner ones
//         Faraj 2006, section 4.3 (Rab1)
//
//   p = 4   step 0: 0 and 2 exchange segments 0-1 for 2-3, 1 and 3 too   step 1: 0 and 1, 2 and 3
//           step 2: 0 and 1 exchange what is whole, 2 and 3 too          step 3: 0 and 2, 1 and 3
#include <optional>
#include <string>
#include <vector>

#include "algorithms/reduce/reduce_scatter.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/inner.h"

namespace gatherbench::algorithms {

extern const Algorithm recursive_doubling;

namespace {

Phase gather_among(const FoldedRanks& members, const Problem& problem) {
  return {problem.inner(), problem, members.members()};
}

/// Returns the schedule of the rank; `gather` is what its member does in the inner algorithm. Ranks
/// that are out meet the barriers.
Schedule with_gather(const FoldedRanks& members, int rank, const Phase& phase,
                     const Schedule& gather) {
  const BlockRange all{0, members.size()};
  Schedule schedule;
  schedule.segmentation.near_equal = members.size();
  members.fold_in(schedule, rank, all);
  if (members.is_out(rank)) {
    add_barriers(schedule, gather);
  } else {
    add_recursive_halving(schedule, members, members.place_of(rank));
    add_gather(schedule, phase, gather);
  }
  members.fold_out(schedule, rank, all);
  return schedule;
}

Schedule rabenseifner_schedule(const Problem& problem) {
  const FoldedRanks members(problem.ranks);
  const Phase phase = gather_among(members, problem);
  return with_gather(members, problem.rank, phase, phase.at(members.place_of(problem.rank)));
}

std::vector<Schedule> rabenseifner_schedules(const Problem& problem) {
  const FoldedRanks members(problem.ranks);
  const Phase phase = gather_among(members, problem);
  const std::vector<Schedule> gathers = phase.all();
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < problem.ranks; ++rank) {
    const auto place = static_cast<std::size_t>(members.place_of(rank));
    schedules.push_back(with_gather(members, rank, phase, gathers[place]));
  }
  return schedules;
}

std::optional<std::string> why_inner_cannot_run(const Problem& problem) {
  return gather_among(FoldedRanks(problem.ranks), problem).why_not();
}

}  // namespace

extern constinit const Algorithm allreduce_rabenseifner{
    .name = "rabenseifner",
    .summary = "recursive halving, then an all-gather of the segments",
    .source = "Rabenseifner 2004; Thakur et al. 2005, 4.5",
    .default_of = "MPICH (long vectors)",
    .kind = &collectives::allreduce,
    .needs = Needs{"what the inner one needs", why_inner_cannot_run},
    .parameters = {{.name = "inner",
                    .summary = "the all-gather of the segments",
                    .default_value = &recursive_doubling,
                    .kind = &collectives::allgather,
                    .is_phase = true}},
    .cuts_blocks = true,
    .growth = Growth::logarithmic,
    .steps = Formula{"log2 P + inner(P), 2 more if p is no power of two",
                     [](const Problem& problem) -> Amount {
                       const FoldedRanks members(problem.ranks);
                       const Amount inner =
                           gather_among(members, problem).amount(&Algorithm::steps);
                       if (!inner) return inner;
                       const int folding = members.size() < problem.ranks ? 2 : 0;
                       return formulas::log2_ceil(members.size()) + *inner + folding;
                     }},
    .messages =
        Formula{"P log2 P + inner(P) + 2(p-P), P = 2^floor(log2 p)",
                [](const Problem& problem) -> Amount {
                  const FoldedRanks members(problem.ranks);
                  const Amount inner = gather_among(members, problem).amount(&Algorithm::messages);
                  if (!inner) return inner;
                  const std::int64_t power = members.size();
                  return power * formulas::log2_ceil(power) + *inner + 2 * (problem.ranks - power);
                }},
    .bytes = Formula{"2(p-1)m",
                     [](const Problem& problem) -> Amount {
                       return 2 * (problem.ranks - 1) * problem.bytes(0);
                     }},
    .barriers =
        Formula{
            "inner(P)",
            [](const Problem& problem) -> Amount {
              return gather_among(FoldedRanks(problem.ranks), problem).amount(&Algorithm::barriers);
            }},
    .how = Schedules{.of_rank = rabenseifner_schedule, .of_all = rabenseifner_schedules}};

}  // namespace gatherbench::algorithms
