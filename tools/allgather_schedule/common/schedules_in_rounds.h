// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/placement.h"
#include "algorithms/proof/findings.h"
#include "algorithms/schedule.h"

namespace gatherbench::allgather_schedule {

/// All of them are in memory, and grow with p^2.
inline constexpr int max_ranks_in_rounds = 2048;

/// The schedules of all ranks with blocks of equal size, and in which rounds their steps are.
struct SchedulesInRounds {
  std::string reason;  ///< why there are none, or empty
  std::vector<std::int64_t> block_bytes;
  std::vector<algorithms::Schedule> schedules;
  proof::Rounds rounds;
};
SchedulesInRounds schedules_in_rounds(const algorithms::Choice& choice, int ranks,
                                      std::int64_t bytes, const algorithms::Placement& placement);

}  // namespace gatherbench::allgather_schedule
