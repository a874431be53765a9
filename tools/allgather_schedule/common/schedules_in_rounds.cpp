// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/common/schedules_in_rounds.h"

#include "algorithms/proof/proof.h"
#include "algorithms/proof/rounds.h"
#include "tools/allgather_schedule/common/common.h"

namespace gatherbench::allgather_schedule {

SchedulesInRounds schedules_in_rounds(const algorithms::Choice& choice, int ranks,
                                      std::int64_t bytes, const algorithms::Placement& placement) {
  SchedulesInRounds found;
  const auto blocks = static_cast<std::size_t>(choice.algorithm->kind->blocks(ranks));
  found.block_bytes.assign(blocks, bytes);
  algorithms::Problem problem = placement.place(algorithms::problem_for(choice, ranks));
  problem.block_bytes = found.block_bytes;
  found.reason = why_not(choice, problem).value_or("");
  if (!found.reason.empty()) return found;
  found.schedules = algorithms::make_schedules(*choice.algorithm, problem);
  found.rounds = proof::find_rounds(
      found.schedules, proof::assumptions_of(*choice.algorithm, found.block_bytes, placement.root));
  found.reason = found.rounds.fault;
  return found;
}

}  // namespace gatherbench::allgather_schedule
