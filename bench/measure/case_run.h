// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure/call_buffers.h"
#include "bench/measure/case_result.h"
#include "bench/measure/checked_buffers.h"
#include "bench/measure/launch_resources.h"
#include "bench/measure/prepared_call.h"
#include "bench/plan/contenders.h"
#include "bench/plan/setup.h"

namespace gatherbench::bench {

/// A kind of case: how its contenders are made ready. Its functions are collective.
class CaseKind {
 public:
  CaseKind() = default;
  CaseKind(const CaseKind&) = delete;
  CaseKind& operator=(const CaseKind&) = delete;
  virtual ~CaseKind() = default;

  /// Returns the series that each contender will have, without times.
  [[nodiscard]] virtual const std::vector<Series>& series() const = 0;
  /// Returns why a contender cannot run the case; none: it can.
  [[nodiscard]] virtual std::optional<std::string> why_not(const Contender& contender) const = 0;
  virtual std::unique_ptr<PreparedCall> prepare(const Contender& contender) = 0;
  /// Runs a call once on test data, and returns what was wrong on this rank; empty: it is right.
  /// None: nobody looks at the bytes.
  virtual std::optional<std::string> check(PreparedCall& call) = 0;
  /// Returns what is done to the buffers around each call; null: calls see to that themselves.
  [[nodiscard]] virtual CallBuffers* buffers() { return nullptr; }
  /// Returns what belongs into the buffers; null: timed results are not looked at here.
  [[nodiscard]] virtual CheckedBuffers* checked() { return nullptr; }
  /// Returns the time of a block's message, where it is needed.
  [[nodiscard]] virtual std::optional<double> message_us() const { return std::nullopt; }
};

/// Prepares, checks and times every contender. The results are in their order, with times on rank
/// 0. `number` tells the cases of a launch apart, for the seed. Collective over all groups.
CaseResult run_contenders(const Setup& setup, CaseKind& kind, const Case& the_case,
                          std::uint32_t number, LaunchResources& resources,
                          const GroupComms& comms);

/// Runs one case: prepares, checks and times every contender. The results are in the order of the
/// contenders, with times on rank 0. `comms` are of the groups of `part`. `number` tells the cases
/// of a launch apart, for the seed. Collective over all groups.
CaseResult run_case(const Setup& setup, const MappedCases& part, const Case& the_case,
                    std::uint32_t number, LaunchResources& resources, const GroupComms& comms);

}  // namespace gatherbench::bench
