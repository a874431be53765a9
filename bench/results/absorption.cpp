// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/absorption.h"

#include <vector>

#include "bench/measure/statistics.h"

namespace gatherbench::bench {
namespace {

double median(std::span<const formats::Iteration> iterations, double formats::Iteration::*member) {
  std::vector<double> values;
  for (const formats::Iteration& iteration : iterations) values.push_back(iteration.*member);
  return percentile(values, 50);
}

std::pair<std::string, std::string> balanced_case(formats::CaseKey key,
                                                  const std::string& algorithm) {
  key.arrival = "none";
  return {key.text(), algorithm};
}

}  // namespace

void BalancedRuns::add(const formats::CaseKey& key, const std::string& algorithm,
                       std::span<const formats::Iteration> iterations) {
  run_us_[balanced_case(key, algorithm)] = median(iterations, &formats::Iteration::run_us);
}

std::optional<Absorption> BalancedRuns::absorption(
    const formats::CaseKey& key, const std::string& algorithm,
    std::span<const formats::Iteration> iterations) const {
  const auto found = run_us_.find(balanced_case(key, algorithm));
  if (found == run_us_.end()) return std::nullopt;
  return Absorption{found->second, median(iterations, &formats::Iteration::run_us),
                    median(iterations, &formats::Iteration::imbalance_us)};
}

}  // namespace gatherbench::bench
