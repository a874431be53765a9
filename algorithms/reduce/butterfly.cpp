// SPDX-License-Identifier: BSD-3-Clause
//
// Butterfly (recursive halving): in each step two ranks exchange halves of what they still combine,
// so that each ends with one segment; a binomial tree brings them to the root. If p is no power of
// two, the first 2(p - 2^k) ranks fold their vectors in pairs first, and the odd ones are through.
//
// Steps   2 log2 p; 2 floor(log2 p) + 1 if p is no power of two
// Cost    2 log2 p alpha + (p-1)/p m (2 beta + gamma) if p is a power of two
// Limits  operators that commute: the farthest ranks are combined first
// Memory  a vector where that is not the root, and half of one for what comes in
// Source  Rabenseifner 2004; Marendic et al. 2016, section 5.5.3
//
//   p = 4, root 0   step 0: 0 and 2 exchange 0-1 for 2-3, 1 and 3 too   step 1: 0 and 1, 2 and 3
//                   then segment 1 from 1 to 0, 3 from 3 to 2, 2-3 from 2 to 0
#include "algorithms/reduce/reduce_scatter.h"
#include "algorithms/reduce/segment_gather.h"

namespace gatherbench::algorithms {
namespace {

Schedule butterfly_schedule(const Problem& problem) {
  const FoldedRanks members(problem.ranks);
  Schedule schedule;
  schedule.segmentation.near_equal = members.size();
  members.fold_in(schedule, problem.rank, {0, members.size()});
  if (members.is_out(problem.rank)) return schedule;
  const int place = members.place_of(problem.rank);
  add_recursive_halving(schedule, members, place);
  add_segment_gather(schedule, members.members(), place);
  return schedule;
}

int power_below(const Problem& problem) { return FoldedRanks(problem.ranks).size(); }

}  // namespace

extern constinit const Algorithm reduce_butterfly{
    .name = "butterfly",
    .summary = "recursive halving, then a binomial gather",
    .source = "Rabenseifner 2004; Marendic et al. 2016, 5.5.3",
    .default_of = "MPICH (long vectors)",
    .kind = &collectives::reduce,
    .cuts_blocks = true,
    .growth = Growth::logarithmic,
    .steps = Formula{"2 floor(log2 p), 1 more if p is no power of two",
                     [](const Problem& problem) -> Amount {
                       const int power = power_below(problem);
                       return 2 * formulas::log2_ceil(power) + (power < problem.ranks ? 1 : 0);
                     }},
    .messages = Formula{"p-1 + P log2 P, P = 2^floor(log2 p)",
                        [](const Problem& problem) -> Amount {
                          const int power = power_below(problem);
                          return problem.ranks - 1 + power * formulas::log2_ceil(power);
                        }},
    .bytes = Formula{"(p-1)m + gather of segments",
                     [](const Problem& problem) -> Amount {
                       return (problem.ranks - 1) * problem.bytes(0) +
                              segment_gather_bytes(problem, power_below(problem));
                     }},
    .how = Schedules{.of_rank = butterfly_schedule}};

}  // namespace gatherbench::algorithms
