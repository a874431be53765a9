// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/moving_average.h"

#include <gtest/gtest.h>

namespace gatherbench::bench {
namespace {

TEST(MovingAverage, OfTheLastFive) {
  MovingAverage average;
  EXPECT_EQ(average.ns(), std::nullopt);
  average.add(10);
  EXPECT_EQ(average.ns(), 10);
  average.add(20);
  EXPECT_EQ(average.ns(), 15);
  for (const std::int64_t ns : {30, 40, 50}) average.add(ns);
  EXPECT_EQ(average.ns(), 30);
  average.add(60);  // instead of 10
  EXPECT_EQ(average.ns(), 40);
}

}  // namespace
}  // namespace gatherbench::bench
