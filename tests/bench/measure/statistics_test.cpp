// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
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
  // The value's place is its rank times 37, so that neighbours are far apart in rank.
  std::vector<double> hundred(100);
  for (std::size_t rank = 1; rank <= 100; ++rank) {
    hundred[rank * 37 % 100] = static_cast<double>(rank);
  }
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

// Values that follow each other tell less than as many that do not. The reports' tests read the
// same table.
TEST(Statistics, MedianIntervalsOfSeries) {
  std::ifstream table(GATHERBENCH_SOURCE "/tests/shared/median_intervals.csv");
  std::string line;
  std::getline(table, line);
  ASSERT_EQ(line, "values,low,high");
  int lines = 0;
  for (; std::getline(table, line); ++lines) {
    const std::size_t second = line.rfind(',');
    const std::size_t first = line.rfind(',', second - 1);
    std::istringstream cells(line.substr(0, first));
    const std::vector<double> values(std::istream_iterator<double>(cells), {});
    const std::string low = line.substr(first + 1, second - first - 1);
    const Interval interval = median_interval(values);
    if (low.empty()) {
      EXPECT_TRUE(std::isinf(interval.low) && std::isinf(interval.high)) << line;
      continue;
    }
    EXPECT_DOUBLE_EQ(interval.low, std::stod(low)) << line;
    EXPECT_DOUBLE_EQ(interval.high, std::stod(line.substr(second + 1))) << line;
  }
  EXPECT_EQ(lines, 11);
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
  // 45 of them, neither one after the other nor in step with anything.
  const auto fill_some = [&values](double value) {
    for (std::size_t i = 0; i < 45; ++i) values[i * 37 % 100] = value;
  };
  fill_some(90);  // rank 40 is now 90: 10 % below
  EXPECT_FALSE(precise_within(values, 0.05));
  EXPECT_TRUE(precise_within(values, 0.11));
  fill_some(120);  // rank 61 is now 120
  EXPECT_FALSE(precise_within(values, 0.05));
}

}  // namespace
}  // namespace gatherbench::bench
