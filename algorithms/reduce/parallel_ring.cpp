// SPDX-License-Identifier: BSD-3-Clause
//
// Parallel ring (bucket): the vector is cut into a segment for each rank, near equal; each segment
// goes round the ring and is combined on its way, so that each rank ends with one; a binomial tree
// brings them to the root.
//
// Steps   p-1 + ceil(log2 p)
// Cost    (p - 1 + log2 p) alpha + (p-1)/p m (2 beta + gamma)
// Limits  operators that commute
// Memory  a vector where that is not the root, and a segment for what comes in
// Source  Marendic et al. 2016, section 5.5.2
//
//   p = 3, root 0   step 0: 0 sends segment 2 to 1, 1 sends 0 to 2, 2 sends 1 to 0
//                   step 1: 0 sends 1 to 1, 1 sends 2 to 2, 2 sends 0 to 0; then 1 and 2 to 0
#include "algorithms/reduce/reduce_scatter.h"
#include "algorithms/reduce/segment_gather.h"

namespace gatherbench::algorithms {
namespace {

Schedule parallel_ring_schedule(const Problem& problem) {
  Schedule schedule;
  schedule.segmentation.near_equal = problem.ranks;
  add_ring_reduce_scatter(schedule, problem);
  add_segment_gather(schedule, all_ranks(problem), problem.rank);
  return schedule;
}

}  // namespace

extern constinit const Algorithm reduce_parallel_ring{
    .name = "parallel_ring",
    .summary = "segments round a ring, then a binomial gather",
    .source = "Marendic et al. 2016, 5.5.2",
    .kind = &collectives::reduce,
    .cuts_blocks = true,
    .growth = Growth::linear,
    .steps = Formula{"p-1 + ceil(log2 p)",
                     [](const Problem& problem) -> Amount {
                       return problem.ranks - 1 + formulas::log2_ceil(problem.ranks);
                     }},
    .messages = Formula{"p(p-1) + p-1",
                        [](const Problem& problem) -> Amount {
                          return (formulas::ranks(problem) + 1) * (problem.ranks - 1);
                        }},
    .bytes = Formula{"(p-1)m + gather of segments",
                     [](const Problem& problem) -> Amount {
                       return (problem.ranks - 1) * problem.bytes(0) +
                              segment_gather_bytes(problem, problem.ranks);
                     }},
    .how = Schedules{.of_rank = parallel_ring_schedule}};

}  // namespace gatherbench::algorithms
