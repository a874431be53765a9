// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure/measure.h"

// The rows of the result file and of its companion with every rank's times. docs/columns.md tells
// what each column is.
namespace gatherbench::bench {

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
  std::string_view status;  ///< "ok", "skipped" or "wrong"; of an iteration also "late"
  std::string reason;       ///< why not ok
  double prepare_us = 0;    ///< schedule, plan and datatypes, on the slowest rank; if ok
  Timings timings;          ///< if ok
};

/// What became of a case.
struct CaseResult {
  std::vector<AlgorithmResult> algorithms;
  bool delayed = false;                   ///< an arrival pattern was injected
  std::optional<double> message_us = {};  ///< time of one block's message, if it was needed
  double clock_error_us = 0;              ///< of the ranks' common clock
};

/// The line of column names, without its line break.
std::string csv_columns();
/// A row for each iteration of each algorithm; for one that was not timed, a row with the reason.
std::string csv_rows(const CaseKey& key, const CaseResult& result);

/// The same for the second file: a row for each rank of each iteration.
std::string csv_rank_columns();
std::string csv_rank_rows(const CaseKey& key, const CaseResult& result);

}  // namespace gatherbench::bench
