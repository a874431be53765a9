// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/lateness.h"

#include <gtest/gtest.h>

#include <vector>

namespace gatherbench::bench {
namespace {

using formats::Iteration;

Iteration iteration(double avg_us, double behind_us) {
  Iteration one{{"avg_us", avg_us}};
  one.behind_us = behind_us;
  return one;
}

std::vector<bool> late(std::vector<Iteration> iterations, double clock_reading_us) {
  mark_late(iterations, clock_reading_us);
  std::vector<bool> found;
  for (const Iteration& one : iterations) found.push_back(one.late);
  return found;
}

// 5 % of the median, which is 20 us.
TEST(Lateness, WhoLeftLateCountsAsMuchAsWhoCameLate) {
  EXPECT_EQ(late({iteration(10, 0.9), iteration(20, 1.1), iteration(900, 0.04)}, 0.02),
            (std::vector{false, true, false}));
}

TEST(Lateness, WhatAReadingOfTheClockTakesIsNoLateness) {
  const std::vector<Iteration> quick{iteration(0.3, 0.07), iteration(0.3, 0.13)};
  EXPECT_EQ(late(quick, 0.03), (std::vector{false, true}));
  EXPECT_EQ(late(quick, 0.04), (std::vector{false, false}));
}

TEST(Lateness, IsDecidedAnewWithEveryMedian) {
  std::vector<Iteration> iterations{iteration(10, 1)};
  mark_late(iterations, 0);
  EXPECT_TRUE(iterations[0].late);
  iterations.push_back(iteration(100, 0));
  mark_late(iterations, 0);
  EXPECT_FALSE(iterations[0].late);
}

TEST(Lateness, OfNothingIsNothing) { EXPECT_TRUE(late({}, 1).empty()); }

TEST(Lateness, AReadingTakesTime) { EXPECT_GT(measure_clock_reading_us(), 0); }

}  // namespace
}  // namespace gatherbench::bench
