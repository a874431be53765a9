// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/fair_flows.h"

#include <gtest/gtest.h>

#include <array>

namespace gatherbench::cost {
namespace {

TEST(FairFlows, ALinkIsSharedEqually) {
  FairFlows flows(1, 2);
  const std::array link{0};
  const std::size_t one = flows.begin(link, 10, 0);
  EXPECT_EQ(flows.share(0).front().time, 5);
  const std::size_t other = flows.begin(link, 2, 1);
  const std::vector<FairFlows::End> ends = flows.share(1);
  ASSERT_EQ(ends.size(), 2U);
  for (const FairFlows::End& end : ends) EXPECT_EQ(end.time, end.flow == one ? 9 : 3);
  flows.end(other);
  EXPECT_EQ(flows.share(3).front().time, 6);  // 6 of 10 are left, and the link is free
  for (const FairFlows::End& end : ends) EXPECT_FALSE(flows.holds(end));
}

// Bertsekas and Gallager's kind of example: the flow over both links has what the full one leaves
// to each of its three, and the other link's second flow all the rest.
TEST(FairFlows, ALinkMayBeSlowerOrFaster) {
  FairFlows flows(3, 2);
  flows.set_speed(0, 0.25);
  flows.set_speed(1, 4);
  const std::size_t slow = flows.begin(std::array{0, 1}, 3, 0);
  const std::size_t fast = flows.begin(std::array{1}, 3, 0);
  const std::size_t plain = flows.begin(std::array{2}, 3, 0);
  flows.share(0);
  EXPECT_EQ(flows.rate(slow), 0.5);
  EXPECT_EQ(flows.rate(fast), 7.5);
  EXPECT_EQ(flows.rate(plain), 2);
}

TEST(FairFlows, OneThatCannotUseItsShareLeavesItToOthers) {
  FairFlows flows(2, 3);
  const std::array both{0, 1};
  const std::array first{0};
  const std::array second{1};
  const std::size_t over_both = flows.begin(both, 1, 0);
  const std::size_t rest = flows.begin(first, 1, 0);
  const std::size_t a = flows.begin(second, 1, 0);
  const std::size_t b = flows.begin(second, 1, 0);
  flows.share(0);
  EXPECT_EQ(flows.rate(over_both), 1);
  EXPECT_EQ(flows.rate(a), 1);
  EXPECT_EQ(flows.rate(b), 1);
  EXPECT_EQ(flows.rate(rest), 2);
}

TEST(FairFlows, FlowsOfOtherLinksKeepTheirRates) {
  FairFlows flows(2, 1);
  flows.begin(std::array{0}, 1, 0);
  flows.share(0);
  flows.begin(std::array{1}, 1, 0.5);
  const std::vector<FairFlows::End> ends = flows.share(0.5);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends.front().time, 1.5);
}

TEST(FairFlows, WithoutLinksItHasAllForItself) {
  FairFlows flows(0, 4);
  flows.begin({}, 8, 1);
  EXPECT_EQ(flows.share(1).front().time, 3);
}

}  // namespace
}  // namespace gatherbench::cost
