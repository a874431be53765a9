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
#include <fmt/format.h>

#include <optional>
#include <string>

#include "algorithms/reduce/reduce_scatter.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/inner.h"

namespace gatherbench::algorithms {

extern const Algorithm recursive_doubling;

namespace {

Schedule schedule(const Problem& problem) {
  const FoldedRanks members(problem.ranks);
  const BlockRange all{0, members.size()};
  Schedule schedule;
  schedule.segmentation.near_equal = members.size();
  members.fold_in(schedule, problem.rank, all);
  if (!members.is_out(problem.rank)) {
    const int place = members.place_of(problem.rank);
    std::vector<std::vector<int>> segments;
    for (int segment = 0; segment < members.size(); ++segment) segments.push_back({segment});
    add_recursive_halving(schedule, members, place);
    add_inner(schedule, problem, place, members.members(), segments);
  }
  members.fold_out(schedule, problem.rank, all);
  return schedule;
}

Problem among_members(const Problem& problem) {
  return inner_problem(problem, FoldedRanks(problem.ranks).size());
}

std::optional<std::string> why_not_here(const Problem& problem) {
  const auto why = why_not(problem.inner(), among_members(problem));
  if (!why) return std::nullopt;
  return fmt::format("{} {}", problem.inner().name, *why);
}

}  // namespace

extern constinit const Algorithm allreduce_rabenseifner{
    .name = "rabenseifner",
    .summary = "recursive halving, then an all-gather of the segments",
    .source = "Rabenseifner 2004; Thakur et al. 2005, 4.5",
    .default_of = "MPICH (long vectors)",
    .kind = &collectives::allreduce,
    .needs = Needs{"what the inner one needs", why_not_here},
    .parameters = {{.name = "inner",
                    .summary = "the all-gather of the segments",
                    .default_value = &recursive_doubling,
                    .kind = &collectives::allgather}},
    .cuts_blocks = true,
    .growth = Growth::logarithmic,
    .steps = Formula{"log2 P + inner(P), 2 more if p is no power of two",
                     [](const Problem& problem) -> Amount {
                       const Problem among = among_members(problem);
                       const Amount inner = problem.inner().steps->at(among);
                       if (!inner) return inner;
                       const int folding = among.ranks < problem.ranks ? 2 : 0;
                       return formulas::log2_ceil(among.ranks) + *inner + folding;
                     }},
    .messages = Formula{"P log2 P + inner(P) + 2(p-P), P = 2^floor(log2 p)",
                        [](const Problem& problem) -> Amount {
                          const Problem among = among_members(problem);
                          const Amount inner = problem.inner().messages->at(among);
                          if (!inner) return inner;
                          const std::int64_t power = among.ranks;
                          return power * formulas::log2_ceil(power) + *inner +
                                 2 * (problem.ranks - power);
                        }},
    .bytes = Formula{"2(p-1)m",
                     [](const Problem& problem) -> Amount {
                       return 2 * (problem.ranks - 1) * problem.bytes(0);
                     }},
    .how = Schedules{.of_rank = schedule}};

}  // namespace gatherbench::algorithms
