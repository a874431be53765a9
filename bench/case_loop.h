// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bench/conditions/congestion.h"
#include "bench/host/counters.h"
#include "bench/measure/case_run.h"
#include "bench/plan/setup.h"
#include "bench/results/progress.h"
#include "bench/results/result_file.h"
#include "bench/results/tables.h"

namespace gatherbench::bench {

/// Runs the cases that an earlier launch has not finished, one after the other; each is written and
/// printed as soon as it is measured. Its functions are collective over the measured ranks.
class CaseLoop {
 public:
  /// `congestion` must outlive it.
  CaseLoop(Setup setup, ResultFile file, Turns turns, std::optional<CounterRecorder> counters,
           Congestion& congestion);

  void run();

  /// Returns the number of wrong results so far; on rank 0 with those of an earlier launch.
  [[nodiscard]] int wrong() const { return wrong_; }

 private:
  [[nodiscard]] std::int64_t largest_bytes_left() const;
  void run_part(const MappedCases& part, std::optional<Progress>& progress);
  [[nodiscard]] std::optional<bool> asked_progress() const;
  void describe(const Case& one) const;
  void count_wrong(const Case& one, std::span<const AlgorithmResult> results,
                   const std::optional<Progress>& progress);

  Setup setup_;
  ResultFile file_;
  LaunchResources resources_;
  BalancedRuns balanced_;
  MPI_Comm world_;
  int rank_;
  std::vector<char> done_;  // by case, over all parts
  std::size_t finished_before_ = 0;
  std::size_t measured_ = 0;
  std::uint32_t next_case_ = 0;
  int wrong_;
};

}  // namespace gatherbench::bench
