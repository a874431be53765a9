// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bench/measure.h"

// The rows of the result file and of its companion with every rank's times. docs/columns.md tells
// what each column is.
namespace gatherbench {

/// What a row says about the case it belongs to.
struct CaseKey {
  std::string collective;
  std::string distribution;
  std::string arrival;
  std::string mapping;
  int ranks;
  int nodes;
  std::int64_t bytes;  ///< base size c
  std::int64_t total_bytes;
  /// Tells the cases of one launch apart.
  [[nodiscard]] std::string text() const;
};

/// What became of one algorithm in one case.
struct AlgorithmResult {
  std::string algorithm;
  std::string_view status;  ///< "ok", "skipped" or "wrong"
  std::string reason;       ///< why not ok
  double prepare_us = 0;    ///< schedule, plan and datatypes, on the slowest rank; if ok
  Timings timings;          ///< if ok
};

/// The line of column names, without its line break.
std::string csv_columns();
/// A row for each iteration of each algorithm; for one that was not timed, a row with the reason.
/// Run time and imbalance are left empty where the ranks share no clock.
std::string csv_rows(const CaseKey& key, std::span<const AlgorithmResult> results,
                     bool shared_clock);

/// The same for the second file: a row for each rank of each iteration.
std::string csv_rank_columns();
std::string csv_rank_rows(const CaseKey& key, std::span<const AlgorithmResult> results);

}  // namespace gatherbench
