// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/absorption.h"

#include <fmt/format.h>

#include "bench/measure/statistics.h"
#include "bench/results/column.h"

namespace gatherbench::bench {
namespace {

double median(std::span<const formats::Iteration> iterations, formats::IterationTime time) {
  return percentile(column(iterations, time), 50);
}

std::pair<std::string, std::string> balanced_case(formats::CaseKey key,
                                                  const std::string& algorithm) {
  key.arrival = "none";
  return {key.text(), algorithm};
}

}  // namespace

std::string text_of(const Absorption& absorption) {
  return fmt::format(
      "run {:.2f} us (balanced {:.2f} us), imbalance {:.2f} us = {:.3f} balanced runs, absorbed "
      "{:.2f} us = {:.3f} balanced runs",
      absorption.run_us, absorption.balanced_run_us, absorption.imbalance_us,
      absorption.normalised_imbalance(), absorption.absorbed_us, absorption.normalised());
}

void BalancedRuns::add(const formats::CaseKey& key, const std::string& algorithm,
                       std::span<const formats::Iteration> iterations) {
  run_us_[balanced_case(key, algorithm)] = median(iterations, "run_us");
}

std::optional<Absorption> BalancedRuns::absorption(
    const formats::CaseKey& key, const std::string& algorithm,
    std::span<const formats::Iteration> iterations) const {
  const auto found = run_us_.find(balanced_case(key, algorithm));
  if (found == run_us_.end()) return std::nullopt;
  const double balanced_us = found->second;
  std::vector<double> absorbed_us;
  absorbed_us.reserve(iterations.size());
  for (const formats::Iteration& one : iterations) {
    absorbed_us.push_back(balanced_us - one["run_us"] + one["imbalance_us"]);
  }
  return Absorption{balanced_us, median(iterations, "run_us"), median(iterations, "imbalance_us"),
                    percentile(absorbed_us, 50)};
}

}  // namespace gatherbench::bench
