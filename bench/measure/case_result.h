// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/iteration.h"
#include "formats/row.h"

namespace gatherbench::bench {

/// The times at which every rank ran each part of its schedule, in calls of their own; empty:
/// nobody asked.
struct RecordedSteps {
  std::vector<std::vector<formats::PlanPart>> parts = {};  ///< [rank]
  struct Call {
    double arrived_us;             ///< after the first rank
    std::vector<double> marks_us;  ///< since its arrival, where each part began and the last ended
  };
  std::vector<Call> calls = {};  ///< [iteration][rank]
};

/// The measurements of one algorithm, in one group under one load. On rank 0; elsewhere empty.
struct Timings {
  std::vector<formats::Iteration> iterations = {};
  std::vector<formats::RankTimes> ranks = {};  ///< [iteration][rank of the group], if asked for
  std::vector<std::string> chosen = {};  ///< [iteration], of an algorithm that chooses; else empty
  RecordedSteps steps = {};

  /// Returns the iterations that count: those that are not late.
  [[nodiscard]] std::vector<formats::Iteration> counted() const;
};

/// Returns the timings of the group with the largest mean time in each iteration; there is at least
/// one group, and all have the same iterations. An iteration is late if it is in any group. The
/// ranks' times are left out.
Timings slowest_of(std::span<const Timings> groups);

/// Times of one group under one load, and what rows say of them beside the case.
struct Series {
  std::string group = std::string(formats::all_ranks);
  std::string beside = std::string(formats::nothing_beside);
  std::vector<int> ranks = {};  ///< of the launch as it is numbered; of the slowest group none
  int nodes = 1;                ///< that they run on
  std::int64_t total_bytes = 0;
  Timings timings = {};  ///< if the algorithm is ok
};

/// The result of one algorithm in one case.
struct AlgorithmResult {
  std::string algorithm;
  formats::Status status = formats::Status::ok;  ///< never `late`: that is an iteration's
  std::string reason = {};                       ///< why not ok
  double prepare_us = 0;  ///< schedule, plan and datatypes, on the slowest rank; if ok
  /// There is at least one. Tables show the last one: all groups, or the slowest of them, under the
  /// last load.
  std::vector<Series> series = {};
};

/// The changes of all hosts' counters while an algorithm, or `together` several, were timed.
struct Counted {
  std::string algorithm;
  std::vector<formats::CounterChange> changes;
};

/// The result of a case.
struct CaseResult {
  std::vector<AlgorithmResult> algorithms;
  std::optional<double> message_us = {};  ///< time of one block's message, if it was needed
  std::vector<Counted> counted = {};      ///< on rank 0, if it is asked for
};

}  // namespace gatherbench::bench
