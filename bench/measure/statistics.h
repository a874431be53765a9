// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

// Summaries of one case's iterations. Pure functions; the unit of the result is that of the values.
// An empty span has no statistic: the caller must not ask.
namespace gatherbench::bench {

double mean(std::span<const double> values);

/// Returns the standard deviation with n - 1. Needs 2 values.
double standard_deviation(std::span<const double> values);

/// Linear between the two nearest order statistics (numpy's default), percent in [0, 100].
double percentile(std::span<const double> values, double percent);

struct Interval {
  double low;
  double high;
};

/// The 95 % confidence interval of the median of values in the order in which they were measured,
/// from order statistics: no assumption about the distribution, which for times of messages is
/// skewed and often has two modes. The ranks are sqrt(correlation) times as far from the middle as
/// those of independent values. Needs 6 values; with fewer, or if too few are independent, it is
/// infinite. It tells what this launch's next values would do; launches differ by more. Source:
/// Hoefler and Belli 2015, section 3.1.3. tests/shared/median_intervals.csv has some.
Interval median_interval(std::span<const double> values);

/// Returns how many times the variance of independent values the number of values below the median
/// has, at least 1; of fewer than 16 values 1. From blocks of sqrt(n) values that follow each
/// other: the variance of the means of the sign (above or below the median) in each, times their
/// length.
double correlation(std::span<const double> values);

/// The k for which the k-th smallest and the k-th largest of n values enclose the median with 95 %:
/// the largest with P(fewer than k of n values lie below the median) <= 2.5 %, of the binomial
/// distribution itself. 0: there is none, n < 6. tests/shared/median_ranks.csv has it up to 1000.
std::size_t median_rank(std::size_t n);

/// Returns whether the 95 % confidence interval of the median lies within +-fraction of the median.
bool precise_within(std::span<const double> values, double fraction);

}  // namespace gatherbench::bench
