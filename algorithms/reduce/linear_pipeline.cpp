// SPDX-License-Identifier: BSD-3-Clause
//
// Linear pipeline: the vector goes in segments from the last rank to the one before it, and so on
// to the root; a rank passes a segment on while the next one comes in.
//
// Steps   N segments, one more of a rank between the ends: p + N - 2 one after the other
// Cost    (p - 2) alpha + 2 sqrt((p - 2) alpha m (beta + gamma)) + m (beta + gamma) with the best N
// Limits  none
// Memory  a vector where that is not the root, and a segment for what comes in
// Source  Marendic et al. 2016, section 5.5.5
//
//   p = 3, root 0, segments a b   step 0: a from 2 to 1   step 1: b from 2 to 1, a from 1 to 0
//                                 step 2: b from 1 to 0
#include "algorithms/reduce/segment_gather.h"

namespace gatherbench::algorithms {
namespace {

Schedule linear_pipeline_schedule(const Problem& problem) {
  Schedule schedule;
  schedule.segmentation = segments_of(problem);
  const bool is_first = problem.rank == 0;
  const bool is_last = problem.rank == problem.ranks - 1;
  if (is_first && is_last) return schedule;
  const auto segments = static_cast<int>(problem.count());
  // A segment that came in goes out one step later.
  const int first_sent = is_last ? 0 : 1;
  const int steps = segments + (is_first ? 0 : first_sent);
  for (int step = 0; step < steps; ++step) {
    schedule.begin_step();
    if (!is_first && step >= first_sent) schedule.send(problem.rank - 1, {step - first_sent, 1});
    if (!is_last && step < segments) {
      schedule.receive(problem.rank + 1, {step, 1}, Incoming::combine_behind);
    }
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm reduce_linear_pipeline{
    .name = "linear_pipeline",
    .summary = "segments from rank to rank, down to the root",
    .source = "Marendic et al. 2016, 5.5.5",
    .kind = &collectives::reduce,
    .parameters = {segments_parameter},
    .cuts_blocks = true,
    .keeps_order = true,
    .steps = Formula{"N+1; N if p = 2",
                     [](const Problem& problem) -> Amount {
                       if (problem.ranks == 1) return 0;
                       return problem.count() + (problem.ranks > 2 ? 1 : 0);
                     }},
    .messages = Formula{"(p-1)N",
                        [](const Problem& problem) -> Amount {
                          return (problem.ranks - 1) * problem.count();
                        }},
    .bytes = vector_of_all,
    .how = Schedules{.of_rank = linear_pipeline_schedule}};

}  // namespace gatherbench::algorithms
