// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/results/absorption.h"
#include "bench/results/result_rows.h"
#include "bench/setup/launch.h"

namespace gatherbench::bench {

/// The tables of one distribution and arrival pattern under one numbering of the ranks, on standard
/// output. A single algorithm's rows are printed as they come, as OSU's are; several tables one
/// after the other, when all is measured.
class Tables {
 public:
  /// The launch must outlive it; `first_case` tells which distribution, pattern and numbering.
  Tables(const Launch& launch, const Case& first_case);
  /// In the order of the launch's contenders. `balanced` has to know the balanced run of the case,
  /// and learns of it.
  void add(const Case& the_case, std::span<const AlgorithmResult> results, BalancedRuns& balanced);
  void finish() { print_if(true); }

 private:
  void print_if(bool now);

  const Launch* launch_;
  std::vector<std::string> texts_;
};

}  // namespace gatherbench::bench
