// SPDX-License-Identifier: BSD-3-Clause
//
// Ring: the vector is cut into a segment for each rank, near equal; each segment goes round the
// ring and is combined on its way, as in the reduction's parallel_ring, and once more round it as
// the result, as in the all-gather's ring.
//
// Steps   2(p-1), one segment each
// Cost    2(p-1) alpha + (p-1)/p m (2 beta + gamma)
// Limits  operators that commute
// Memory  a segment for what comes in
// Source  Patarasuk, Yuan 2009
//
//   p = 3   step 0: 0 sends segment 2 to 1, 1 sends 0 to 2, 2 sends 1 to 0
//           step 1: 0 sends 1 to 1, 1 sends 2 to 2, 2 sends 0 to 0; each rank has its own whole
//           step 2: 0 sends 0 to 1, 1 sends 1 to 2, 2 sends 2 to 0
//           step 3: 0 sends 2 to 1, 1 sends 0 to 2, 2 sends 1 to 0
#include "algorithms/reduce/reduce_scatter.h"
#include "algorithms/schedule.h"
#include "algorithms/shared/formulas.h"

namespace gatherbench::algorithms {

extern const Algorithm ring;

namespace {

Schedule ring_schedule(const Problem& problem) {
  Schedule schedule;
  schedule.segmentation.near_equal = problem.ranks;
  add_ring_reduce_scatter(schedule, problem);
  append_steps(
      schedule, ring.schedules()->of_rank(problem), [](int rank) { return rank; },
      [](std::span<const BlockRange> segments) { return segments; });
  return schedule;
}

}  // namespace

extern constinit const Algorithm allreduce_ring{
    .name = "ring",
    .summary = "segments round a ring twice: combined, then as the result",
    .source = "Patarasuk, Yuan 2009",
    .default_of = "Open MPI (long vectors), NCCL and RCCL (long vectors)",
    .kind = &collectives::allreduce,
    .cuts_blocks = true,
    .growth = Growth::linear,
    .steps =
        Formula{"2(p-1)", [](const Problem& problem) -> Amount { return 2 * (problem.ranks - 1); }},
    .messages = Formula{"2p(p-1)",
                        [](const Problem& problem) -> Amount {
                          return 2 * formulas::ranks(problem) * (problem.ranks - 1);
                        }},
    .bytes = Formula{"2(p-1)m",
                     [](const Problem& problem) -> Amount {
                       return 2 * (problem.ranks - 1) * problem.bytes(0);
                     }},
    .how = Schedules{.of_rank = ring_schedule}};

}  // namespace gatherbench::algorithms
