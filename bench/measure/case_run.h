// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure/call_buffers.h"
#include "bench/measure/case_result.h"
#include "bench/measure/checked_buffers.h"
#include "bench/measure/launch_resources.h"
#include "bench/measure/runner.h"
#include "bench/plan/contenders.h"
#include "bench/plan/setup.h"

namespace gatherbench::bench {

/// A contender that is ready to be timed.
struct Prepared {
  Runner runner;
  /// Runs it once, armed, on test data: what was wrong. Null: nobody looks at the bytes.
  std::function<std::string(Runner&)> fault_of_run = {};
};

/// How the contenders of a case are made ready. All are collective.
struct CaseWays {
  std::vector<Series> series;  ///< that each will have, without times
  std::function<std::optional<std::string>(const Contender&)> why_not = {};  ///< none: it can run
  std::function<Prepared(const Contender&)> prepare = {};
  CallBuffers* buffers = nullptr;     ///< null: runners see to their buffers themselves
  CheckedBuffers* checked = nullptr;  ///< for the timed results; null: not looked at here
  std::optional<double> message_us = {};
};

/// Prepares, checks and times every contender. The results are in their order, with times on rank
/// 0. `number` tells the cases of a launch apart, for the seed. Collective over all groups.
CaseResult run_contenders(const Setup& setup, const CaseWays& ways, const Case& the_case,
                          std::uint32_t number, LaunchResources& resources,
                          const GroupComms& comms);

/// Runs one case: prepares, checks and times every contender. The results are in the order of the
/// contenders, with times on rank 0. `comms` are of the groups of `part`. `number` tells the cases
/// of a launch apart, for the seed. Collective over all groups.
CaseResult run_case(const Setup& setup, const MappedCases& part, const Case& the_case,
                    std::uint32_t number, LaunchResources& resources, const GroupComms& comms);

}  // namespace gatherbench::bench
