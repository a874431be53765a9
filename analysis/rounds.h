// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "algorithms/schedule.h"
#include "analysis/proof.h"

namespace gatherbench::analysis {

/// When a step begins, and when each of its messages passes, in the order of the step.
struct StepRounds {
  std::size_t begin = 0;
  std::vector<std::size_t> sends;
  std::vector<std::size_t> receives;
};

/// When the steps of all ranks meet. A message passes as soon as the steps at both its ends have
/// begun, and a barrier is over when all ranks have come to it; a rank's next step begins a round
/// after the last message of the one before. A send meets the receive of the same two ranks that
/// has the same round: there is only one.
struct Rounds {
  std::string fault;  ///< empty, or why prove() fails; then nothing else counts
  std::vector<std::vector<StepRounds>> ranks;  ///< of each rank its steps
  std::size_t count = 0;
};

Rounds find_rounds(std::span<const algorithms::Schedule> schedules, const Assumptions& assumptions);

}  // namespace gatherbench::analysis
