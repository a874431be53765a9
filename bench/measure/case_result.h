// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/row.h"

namespace gatherbench::bench {

/// When every rank ran each part of its schedule, in calls of their own; empty: nobody asked.
struct RecordedSteps {
  std::vector<std::vector<formats::PlanPart>> parts = {};  ///< [rank]
  struct Call {
    double arrived_us;             ///< after the first rank
    std::vector<double> marks_us;  ///< since its arrival, where each part began and the last ended
  };
  std::vector<Call> calls = {};  ///< [iteration][rank]
};

/// What was measured of one algorithm in one case. On rank 0; elsewhere empty but for the fault.
struct Timings {
  std::vector<formats::Iteration> iterations = {};
  std::vector<formats::RankTimes> ranks = {};  ///< [iteration][rank], if asked for
  std::string fault = {};  ///< of a timed or recorded call, if they are checked; on every rank
  RecordedSteps steps = {};

  /// The iterations that count.
  [[nodiscard]] std::vector<formats::Iteration> counted() const;
};

/// What became of one algorithm in one case.
struct AlgorithmResult {
  std::string algorithm;
  formats::Status status = formats::Status::ok;  ///< never `late`: that is an iteration's
  std::string reason = {};                       ///< why not ok
  double prepare_us = 0;  ///< schedule, plan and datatypes, on the slowest rank; if ok
  Timings timings = {};   ///< if ok
};

/// What became of a case.
struct CaseResult {
  std::vector<AlgorithmResult> algorithms;
  std::optional<double> message_us = {};  ///< time of one block's message, if it was needed
};

}  // namespace gatherbench::bench
