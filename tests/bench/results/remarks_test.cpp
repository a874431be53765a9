// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "bench/plan/groups.h"
#include "bench/results/tables.h"
#include "tests/bench/test_launch.h"

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

Series series(std::string_view group, const std::string& beside, double us,
              double overlapped_us = 0) {
  formats::Iteration one;
  one["avg_us"] = us;
  if (overlapped_us > 0) one["overlapped_us"] = overlapped_us;
  return {.group = std::string(group), .beside = beside, .timings = {.iterations = {one}}};
}

// The line below a row is of the same group as the row, which is the slowest one.
TEST(Overlap, IsThatOfTheLastSeries) {
  const std::string both = "groups and computation";
  const auto found = overlap_of(std::vector{
      series("a", "nothing", 1), series("b", "nothing", 2), series("a", "groups", 10),
      series("b", "groups", 20), series(slowest_group, "groups", 20), series("a", both, 15, 10),
      series("b", both, 35, 25), series(slowest_group, both, 35, 25)});
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->alone_us, 20);
  EXPECT_DOUBLE_EQ(found->computed_us, 25);
  EXPECT_DOUBLE_EQ(found->together_us, 35);
}

/// Returns an algorithm's result whose only cycle is on a row that is late or not.
AlgorithmResult result_with_cycle(const std::string& algorithm, bool is_late) {
  formats::Iteration first = iteration(2, 1);
  first["avg_us"] = 2;
  formats::Iteration last = first;
  last["cycle_us"] = 3;
  last.late = is_late;
  return {.algorithm = algorithm, .series = {{.timings = {.iterations = {first, last}}}}};
}

TEST(SideBySide, ACycleThatIsLateHasALineThatSaysWhy) {
  auto setup = launch_of({.table = TableForm::side_by_side});
  setup.cycles = 10;
  for (const char* const label : {"ring", "bruck"}) {
    setup.contenders.push_back({.choice = {}, .label = label, .why_not = {}, .comm = {}});
  }
  Case one = undelayed();
  one.key = key("none");
  testing::internal::CaptureStdout();
  Tables tables(setup, one);
  BalancedRuns balanced;
  tables.add(one, std::vector{result_with_cycle("ring", true), result_with_cycle("bruck", false)},
             balanced);
  tables.finish();
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_THAT(text, testing::HasSubstr("cycle       late        3.00*\n"));
  EXPECT_THAT(text, testing::HasSubstr("# 8 bytes: ring: no cycle counts, since the last call"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("# 8 bytes: bruck")));
}

}  // namespace
}  // namespace gatherbench::bench
