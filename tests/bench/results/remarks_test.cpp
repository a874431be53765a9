// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include "bench/results/tables.h"

namespace gatherbench::bench {
namespace {

formats::CaseKey key(const std::string& arrival) {
  return {"allgather", "regular", arrival, "sequential", 2, 1, 8, 16};
}

formats::Iteration iteration(double run_us, double imbalance_us) {
  formats::Iteration one;
  one["run_us"] = run_us;
  one["imbalance_us"] = imbalance_us;
  return one;
}

// Each iteration of a random pattern is another pattern: 10 us, 20 us and 60 us were absorbed here,
// while the difference of the medians says 110 - 150 + 100 = 60 us.
TEST(Absorption, IsTheMedianOfTheIterations) {
  BalancedRuns balanced;
  balanced.add(key("none"), "ring",
               std::vector{iteration(100, 0), iteration(110, 0), iteration(120, 0)});
  const auto found = balanced.absorption(
      key("gamma:shape=2,scale=1us"), "ring",
      std::vector{iteration(200, 100), iteration(150, 100), iteration(130, 40)});
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->balanced_run_us, 110);
  EXPECT_DOUBLE_EQ(found->run_us, 150);
  EXPECT_DOUBLE_EQ(found->imbalance_us, 100);
  EXPECT_DOUBLE_EQ(found->absorbed_us, 20);
  EXPECT_DOUBLE_EQ(found->normalised(), 20.0 / 110);
  EXPECT_FALSE(balanced.absorption(key("none"), "bruck", std::vector{iteration(1, 0)}));
}

}  // namespace
}  // namespace gatherbench::bench
