// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/absorption.h"

#include <vector>

#include "bench/measure/statistics.h"

namespace gatherbench::bench {
namespace {

double median(std::span<const Iteration> iterations, double Iteration::*member) {
  std::vector<double> values;
  for (const Iteration& iteration : iterations) values.push_back(iteration.*member);
  return percentile(values, 50);
}

std::pair<std::string, std::string> balanced_case(CaseKey key, const std::string& algorithm) {
  key.arrival = "none";
  return {key.text(), algorithm};
}

}  // namespace

void BalancedRuns::add(const CaseKey& key, const std::string& algorithm,
                       std::span<const Iteration> iterations) {
  run_us_[balanced_case(key, algorithm)] = median(iterations, &Iteration::run_us);
}

std::optional<Absorption> BalancedRuns::absorption(const CaseKey& key, const std::string& algorithm,
                                                   std::span<const Iteration> iterations) const {
  const auto found = run_us_.find(balanced_case(key, algorithm));
  if (found == run_us_.end()) return std::nullopt;
  return Absorption{found->second, median(iterations, &Iteration::run_us),
                    median(iterations, &Iteration::imbalance_us)};
}

}  // namespace gatherbench::bench
