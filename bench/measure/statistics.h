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

/// Returns the percentile, linear between the two nearest order statistics (numpy's default).
/// `percent` is in [0, 100].
double percentile(std::span<const double> values, double percent);

struct Interval {
  double low;
  double high;
};

/// Returns the 95 % confidence interval of the median of values in the order in which they were
/// measured. It comes from order statistics and assumes nothing of the distribution, which for
/// times of messages is skewed and often has two modes. Its ranks are sqrt(correlation) times as
/// far from the middle as those of independent values. It needs 6 values; with fewer, or if too few
/// are independent, it is infinite. It tells what this launch's next values would do; launches
/// differ by more. Source: Hoefler and Belli 2015, section 3.1.3. Examples:
/// tests/shared/median_intervals.csv.
Interval median_interval(std::span<const double> values);

/// Returns how many times as large the variance of the number of values below the median is as it
/// would be if the values were independent: at least 1, and 1 of fewer than 16 values. It comes
/// from blocks of sqrt(n) values that follow each other: the mean of the sign (above or below the
/// median) in each, and the variance of these means times the blocks' length.
double correlation(std::span<const double> values);

/// Returns the k for which the k-th smallest and the k-th largest of n values enclose the median
/// with 95 %: the largest with P(fewer than k of n values lie below the median) <= 2.5 %, of the
/// binomial distribution itself. Returns 0 if there is none (n < 6). tests/shared/median_ranks.csv
/// has it up to 1000.
std::size_t median_rank(std::size_t n);

/// Returns whether the 95 % confidence interval of the median lies within +-fraction of the median.
bool precise_within(std::span<const double> values, double fraction);

}  // namespace gatherbench::bench
