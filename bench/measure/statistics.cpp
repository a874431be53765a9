// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace gatherbench::bench {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::ranges::sort(copy);
  return copy;
}

double percentile_of_sorted(std::span<const double> values, double percent) {
  const double position = percent / 100 * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], position - static_cast<double>(below));
}

Interval median_interval_of_sorted(std::span<const double> values) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (median_rank(values.size()) == 0) return {-infinite, infinite};
  const std::size_t rank = median_rank(values.size());
  return {values[rank - 1], values[values.size() - rank]};
}

}  // namespace

std::size_t median_rank(std::size_t n) {
  constexpr double tail = (1 - 0.95) / 2;
  // P(X = k) of binomial(n, 1/2) by logarithms: 2^-n itself is 0 for n > 1074.
  const auto size = static_cast<double>(n);
  const double log_all = std::lgamma(size + 1) - size * std::log(2.0);
  // Ten standard deviations below the middle, less than 1e-22 is left out.
  const double first = std::max(0.0, std::floor(size / 2 - 5 * std::sqrt(size)));
  double below = 0;  // P(X < k + 1)
  for (auto k = static_cast<std::size_t>(first); k <= n; ++k) {
    const auto i = static_cast<double>(k);
    below += std::exp(log_all - std::lgamma(i + 1) - std::lgamma(size - i + 1));
    if (below > tail) return k;
  }
  return n;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double percentile(std::span<const double> values, double percent) {
  return percentile_of_sorted(sorted(values), percent);
}

Interval median_interval(std::span<const double> values) {
  return median_interval_of_sorted(sorted(values));
}

bool precise_within(std::span<const double> values, double fraction) {
  const std::vector<double> ordered = sorted(values);
  const Interval interval = median_interval_of_sorted(ordered);
  const double median = percentile_of_sorted(ordered, 50);
  return interval.low >= median * (1 - fraction) && interval.high <= median * (1 + fraction);
}

}  // namespace gatherbench::bench
