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
  if (values.size() < 6) return {-infinite, infinite};
  // The number of values below the median is binomial(n, 1/2); 1.96 of its standard deviations.
  const auto n = static_cast<double>(values.size());
  const double half_width = 1.96 * std::sqrt(n) / 2;
  const double low = std::floor(n / 2 - half_width);  // rank, counted from 1
  const double high = std::ceil(1 + n / 2 + half_width);
  return {values[static_cast<std::size_t>(std::max(low, 1.0)) - 1],
          values[static_cast<std::size_t>(std::min(high, n)) - 1]};
}

}  // namespace

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
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
