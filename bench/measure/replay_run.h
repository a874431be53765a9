// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "bench/measure/case_result.h"
#include "bench/measure/case_run.h"

namespace gatherbench::bench {

/// Runs the case of a launch that replays (Setup::replay): an iteration is the whole sequence of
/// calls. As `run_case`. Collective.
CaseResult run_replay(const Setup& setup, const Case& the_case, std::uint32_t number,
                      LaunchResources& resources, const GroupComms& comms);

}  // namespace gatherbench::bench
