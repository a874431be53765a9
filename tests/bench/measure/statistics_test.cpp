// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace gatherbench::bench {
namespace {

// The squares of -2, -1 and 3 add up to 14.
TEST(Statistics, StandardDeviationByHand) {
  EXPECT_DOUBLE_EQ(standard_deviation(std::vector{1.0, 2.0, 6.0}), std::sqrt(7.0));
  EXPECT_DOUBLE_EQ(standard_deviation(std::vector{5.0, 5.0}), 0.0);
}

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
  EXPECT_DOUBLE_EQ(interval.low, 40);  // P(fewer than 40) = 0.0176, P(fewer than 41) = 0.0284
  EXPECT_DOUBLE_EQ(interval.high, 61);
}

// The reports' tests read the same table: what ends a case is the interval that they draw.
TEST(Statistics, MedianRanksAreTheBinomialOnes) {
  std::ifstream table(GATHERBENCH_SOURCE "/tests/shared/median_ranks.csv");
  std::string line;
  std::getline(table, line);
  ASSERT_EQ(line, "n,low,high");
  int lines = 0;
  for (; std::getline(table, line); ++lines) {
    std::istringstream cells(line);
    std::size_t n = 0;
    std::size_t low = 0;
    std::size_t high = 0;
    char comma = 0;
    cells >> n >> comma >> low >> comma >> high;
    EXPECT_EQ(median_rank(n), low) << n;
    EXPECT_EQ(n + 1 - median_rank(n), high) << n;
  }
  EXPECT_EQ(lines, 995);
  EXPECT_EQ(median_rank(5), 0U);
  EXPECT_EQ(median_rank(1'000'000), 499'020U);
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
