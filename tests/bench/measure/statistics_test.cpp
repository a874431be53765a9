// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace gatherbench::bench {
namespace {

TEST(Statistics, MeanByHand) { EXPECT_DOUBLE_EQ(mean(std::vector{1.0, 2.0, 6.0}), 3.0); }

TEST(Statistics, PercentilesByHand) {
  const std::vector<double> values{40, 10, 30, 20};  // sorted: 10 20 30 40
  EXPECT_DOUBLE_EQ(percentile(values, 0), 10);
  EXPECT_DOUBLE_EQ(percentile(values, 50), 25);
  EXPECT_DOUBLE_EQ(percentile(values, 90), 37);  // position 2.7
  EXPECT_DOUBLE_EQ(percentile(values, 100), 40);
  EXPECT_DOUBLE_EQ(percentile(std::vector{7.0}, 99), 7);
}

TEST(Statistics, MedianIntervalByHand) {
  std::vector<double> hundred(100);
  std::iota(hundred.begin(), hundred.end(), 1.0);  // the value is its rank
  const Interval interval = median_interval(hundred);
  EXPECT_DOUBLE_EQ(interval.low, 40);   // floor(50 - 9.8)
  EXPECT_DOUBLE_EQ(interval.high, 61);  // ceil(51 + 9.8), as Hoefler and Belli have it: 61
}

TEST(Statistics, MedianIntervalOfSixIsTheRange) {
  const Interval interval = median_interval(std::vector{3.0, 1.0, 2.0, 6.0, 5.0, 4.0});
  EXPECT_DOUBLE_EQ(interval.low, 1);
  EXPECT_DOUBLE_EQ(interval.high, 6);
}

TEST(Statistics, FewerThanSixSayNothing) {
  EXPECT_TRUE(std::isinf(median_interval(std::vector{1.0, 1.0, 1.0, 1.0, 1.0}).high));
  EXPECT_FALSE(precise_within(std::vector{1.0, 1.0, 1.0, 1.0, 1.0}, 0.5));
}

TEST(Statistics, PreciseIsAboutBothSides) {
  std::vector<double> values(100, 100.0);
  EXPECT_TRUE(precise_within(values, 0.01));
  std::fill(values.begin(), values.begin() + 45, 90.0);  // rank 40 is now 90: 10 % below
  EXPECT_FALSE(precise_within(values, 0.05));
  EXPECT_TRUE(precise_within(values, 0.11));
  std::fill(values.begin(), values.end(), 100.0);
  std::fill(values.begin(), values.begin() + 45, 120.0);  // rank 61 is now 120
  EXPECT_FALSE(precise_within(values, 0.05));
}

}  // namespace
}  // namespace gatherbench::bench
