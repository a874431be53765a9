// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "algorithms/proof/findings.h"
#include "algorithms/schedule.h"

namespace gatherbench::proof {

/// Returns the rounds in which the steps of all ranks meet, as they proceed in the proof.
Rounds find_rounds(std::span<const algorithms::Schedule> schedules, const Assumptions& assumptions);

}  // namespace gatherbench::proof
