// SPDX-License-Identifier: BSD-3-Clause
//
// All-to-all and all-gather (Rab2 of STAR-MPI): the vector is cut into a segment for each rank,
// near equal. An all-to-all brings each rank its segment of all vectors, and it combines what comes
// in; an all-gather brings all ranks what comes of it. Both are inner algorithms.
//
// Steps   those of both
// Cost    of shift and ring 2(p-1) alpha + (p-1)/p m (2 beta + gamma)
// Limits  operators that commute; what both of them demand
// Memory  as many segments as come in at once: one, or p-1 where all are in flight
// Source  Faraj 2006, sections 4.1.1.1 and 4.3.1.1 (Rab2-(x, y): scatter=x, inner=y)
//
//   p = 3   step 0: 0 sends segment 1 to 1, 1 sends 2 to 2, 2 sends 0 to 0
//           step 1: 0 sends 2 to 2, 1 sends 0 to 0, 2 sends 1 to 1; each rank has its own whole
//           step 2: 0 sends 0 to 1, 1 sends 1 to 2, 2 sends 2 to 0
//           step 3: 0 sends 2 to 1, 1 sends 0 to 2, 2 sends 1 to 0
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "algorithms/reduce/segment_gather.h"
#include "algorithms/schedule.h"
#include "algorithms/shared/inner.h"

namespace gatherbench::algorithms {

extern const Algorithm alltoall_shift;
extern const Algorithm ring;

namespace {

/// Both phases, in all ranks.
struct Phases {
  explicit Phases(const Problem& problem)
      : scatter(*std::get<const Algorithm*>(problem.parameters[1]), problem, all_ranks(problem)),
        gather(problem.inner(), problem, all_ranks(problem)) {}

  /// Returns the sum of what both rows say; none if one of them has no closed form.
  [[nodiscard]] Amount sum(std::optional<Formula> Algorithm::*formula) const {
    const Amount first = scatter.amount(formula);
    const Amount second = gather.amount(formula);
    return first && second ? Amount(*first + *second) : std::nullopt;
  }

  Phase scatter;
  Phase gather;
};

/// Returns the schedule of a rank of which these are the phases. The all-to-all's block i p + j is
/// segment j.
Schedule joined(int ranks, const Phase& phase, const Schedule& scatter, const Schedule& gather) {
  Schedule schedule;
  schedule.segmentation.near_equal = ranks;
  const auto segments = [ranks](std::span<const BlockRange> blocks) {
    std::vector<BlockRange> found;
    for (const BlockRange& range : blocks) found.push_back({range.first % ranks, range.count});
    return found;
  };
  const auto as_it_is = [](int rank) { return rank; };
  append_steps(schedule, scatter, as_it_is, segments, Incoming::combine_before);
  add_gather(schedule, phase, gather);
  return schedule;
}

Schedule alltoall_allgather_schedule(const Problem& problem) {
  const Phases phases(problem);
  return joined(problem.ranks, phases.gather, phases.scatter.at(problem.rank),
                phases.gather.at(problem.rank));
}

std::vector<Schedule> alltoall_allgather_schedules(const Problem& problem) {
  const Phases phases(problem);
  const std::vector<Schedule> scatters = phases.scatter.all();
  const std::vector<Schedule> gathers = phases.gather.all();
  std::vector<Schedule> schedules;
  for (std::size_t rank = 0; rank < scatters.size(); ++rank) {
    schedules.push_back(joined(problem.ranks, phases.gather, scatters[rank], gathers[rank]));
  }
  return schedules;
}

std::optional<std::string> why_phases_cannot_run(const Problem& problem) {
  const Phases phases(problem);
  const auto why = phases.scatter.why_not();
  return why ? why : phases.gather.why_not();
}

}  // namespace

extern constinit const Algorithm allreduce_alltoall_allgather{
    .name = "alltoall_allgather",
    .title = "All-to-all and all-gather",
    .summary = "an all-to-all whose segments are combined, then an all-gather of them",
    .source = "Faraj 2006, 4.3.1.1",
    .kind = &collectives::allreduce,
    .needs = Needs{"what both phases need", why_phases_cannot_run},
    .parameters = {{.name = "inner",
                    .summary = "the all-gather of the segments",
                    .default_value = &ring,
                    .kind = &collectives::allgather,
                    .is_phase = true},
                   {.name = "scatter",
                    .summary = "the all-to-all of the segments",
                    .default_value = &alltoall_shift,
                    .kind = &collectives::alltoall,
                    .is_phase = true}},
    .cuts_blocks = true,
    .growth = Growth::linear,
    .steps = Formula{"scatter(p) + inner(p)",
                     [](const Problem& problem) { return Phases(problem).sum(&Algorithm::steps); }},
    .messages =
        Formula{"scatter(p) + inner(p)",
                [](const Problem& problem) { return Phases(problem).sum(&Algorithm::messages); }},
    .bytes = Formula{"2(p-1)m",
                     [](const Problem& problem) -> Amount {
                       return 2 * (problem.ranks - 1) * problem.bytes(0);
                     }},
    .barriers =
        Formula{"scatter(p) + inner(p)",
                [](const Problem& problem) { return Phases(problem).sum(&Algorithm::barriers); }},
    .how =
        Schedules{.of_rank = alltoall_allgather_schedule, .of_all = alltoall_allgather_schedules}};

}  // namespace gatherbench::algorithms
