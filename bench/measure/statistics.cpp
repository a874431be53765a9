// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
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

/// Returns the interval at a rank; both ends are infinite where there is none.
Interval interval_at(std::span<const double> sorted_values, double rank) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (rank < 1) return {-infinite, infinite};
  const auto place = static_cast<std::size_t>(rank);
  return {sorted_values[place - 1], sorted_values[sorted_values.size() - place]};
}

/// Returns the k of `median_rank`, as much nearer to the ends as `correlation` asks for; less than
/// 1: there is none.
double rank_of_correlated(std::size_t n, double correlation) {
  const auto independent = static_cast<double>(median_rank(n));
  if (independent == 0) return 0;
  constexpr double rounding = 1e-9;
  const double middle = static_cast<double>(n) / 2;
  return std::floor(middle - (middle - independent) * std::sqrt(correlation) + rounding);
}

double sign(double value) { return static_cast<double>((value > 0) - (value < 0)); }

}  // namespace

std::size_t median_rank(std::size_t n) {
  constexpr double tail = (1 - 0.95) / 2;
  // P(X = k) of binomial(n, 1/2) by logarithms: 2^-n itself is 0 for n > 1074.
  const auto size = static_cast<double>(n);
  const double log_all = std::lgamma(size + 1) - size * std::numbers::ln2;
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

double correlation(std::span<const double> values) {
  constexpr std::size_t fewest = 16;
  const std::size_t n = values.size();
  if (n < fewest) return 1;
  const double median = percentile(values, 50);
  const auto length = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  std::vector<double> means(n / length);
  double alone = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double above = sign(values[i] - median);
    alone += above * above / static_cast<double>(n);
    if (i / length < means.size()) means[i / length] += above / static_cast<double>(length);
  }
  const double deviation = standard_deviation(means);
  const double found = deviation * deviation * static_cast<double>(length) / alone;
  return found > 1 ? found : 1;  // 1 too if all values are equal, where it is 0 over 0
}

Interval median_interval(std::span<const double> values) {
  return interval_at(sorted(values), rank_of_correlated(values.size(), correlation(values)));
}

bool precise_within(std::span<const double> values, double fraction) {
  const Interval interval = median_interval(values);
  const double median = percentile(values, 50);
  return interval.low >= median * (1 - fraction) && interval.high <= median * (1 + fraction);
}

}  // namespace gatherbench::bench
