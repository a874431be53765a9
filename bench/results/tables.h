// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/plan/setup.h"
#include "bench/results/remarks.h"
#include "bench/results/result_rows.h"

namespace gatherbench::bench {

/// The tables of one distribution and arrival pattern under one numbering of the ranks, on standard
/// output: one with the algorithms side by side, or OSU's of each. Rows are printed as they come,
/// but for OSU's of several algorithms: those stand one after the other, when all is measured.
class Tables {
 public:
  /// The launch must outlive it; `first_case` tells which distribution, pattern and numbering.
  Tables(const Setup& setup, const Case& first_case);
  /// Adds results in the order of the launch's contenders. `balanced` has to know the balanced run
  /// of the case, and learns of it.
  void add(const Case& the_case, std::span<const AlgorithmResult> results, BalancedRuns& balanced);
  void finish() { print(); }

 private:
  /// The result of one algorithm in one case.
  struct Outcome {
    std::vector<formats::Iteration> iterations;  ///< those that count
    std::string why_none;                        ///< if there are none
    std::vector<std::string> remarks = {};       ///< lines below the row
  };
  static Outcome outcome_of(const Case& the_case, const AlgorithmResult& result,
                            BalancedRuns& balanced);
  /// Returns the notes about how times come about, and the launch's own.
  [[nodiscard]] std::vector<std::string> all_notes() const;
  /// Returns how many times as long another algorithm has to take for one launch to call it slower.
  [[nodiscard]] double told_apart() const;
  void begin_osu(const std::string& what);
  void begin_side_by_side(const std::string& what);
  void add_osu(std::int64_t bytes, std::span<const Outcome> outcomes);
  void add_side_by_side(std::int64_t bytes, std::span<const Outcome> outcomes,
                        std::span<const AlgorithmResult> results);
  void print();

  const Setup* setup_;
  bool side_by_side_;
  bool has_cycles_;
  bool has_arrivals_;
  std::vector<std::string> texts_;  ///< not printed yet; of each table
  std::vector<std::size_t> shown_;  ///< contenders with a column, side by side
};

}  // namespace gatherbench::bench
