// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/proof/proof.h"
#include "algorithms/topology/switch_tree.h"
#include "algorithms/topology/torus.h"
#include "tests/algorithms/proof/ring_schedules.h"

namespace gatherbench::proof {
namespace {

using testing::IsEmpty;

const std::string_view two_leaves =
    "SwitchName=top Switches=s[0-1]\n"
    "SwitchName=s0 Nodes=h[0-1]\n"
    "SwitchName=s1 Nodes=h[2-3]\n";

std::string contention_of_ring(const std::vector<int>& host_of_rank,
                               const std::vector<int>& order) {
  const topology::SwitchTree tree = topology::SwitchTree::parse("t.conf", two_leaves);
  return contention(tree, host_of_rank, ring_schedules(order, order.size() - 1));
}

TEST(Contention, ARingInTheOrderOfTheSwitchesHasNone) {
  EXPECT_THAT(contention_of_ring({0, 1, 2, 3}, {0, 1, 2, 3}), IsEmpty());
  EXPECT_THAT(contention_of_ring({0, 1, 2, 3}, {1, 2, 3, 0}), IsEmpty());
  EXPECT_THAT(contention_of_ring({2, 0, 3, 1}, {1, 3, 0, 2}), IsEmpty());
}

TEST(Contention, NamesTheStepTheLinkAndTheRanks) {
  EXPECT_EQ(contention_of_ring({0, 1, 2, 3}, {0, 2, 1, 3}),
            "step 0: link top -> s1 carries rank 0 to 2 and rank 1 to 3");
}

TEST(Contention, FindsItInALaterStep) {
  const topology::SwitchTree tree = topology::SwitchTree::parse("t.conf", two_leaves);
  std::vector<algorithms::Schedule> schedules = ring_schedules(std::vector{0, 1, 2, 3}, 2);
  schedules[2].begin_step();  // only ranks 2 and 3 have a step 2
  schedules[2].send(0, {2, 1});
  schedules[3].begin_step();
  schedules[3].send(1, {3, 1});
  EXPECT_EQ(contention(tree, std::vector{0, 1, 2, 3}, schedules),
            "step 2: link s1 -> top carries rank 2 to 0 and rank 3 to 1");
}

TEST(Contention, RanksOfOneHostUseNoLink) {
  EXPECT_THAT(contention_of_ring({0, 0, 0, 0}, {0, 2, 1, 3}), IsEmpty());
  EXPECT_THAT(contention_of_ring({0, 0, 2, 2}, {0, 1, 2, 3}), IsEmpty());
  EXPECT_EQ(contention_of_ring({0, 0, 2, 2}, {0, 2, 1, 3}),
            "step 0: link h0 -> s0 carries rank 0 to 2 and rank 1 to 3");
}

TEST(Contention, OppositeDirectionsAreTwoLinks) {
  const topology::SwitchTree tree = topology::SwitchTree::parse("t.conf", two_leaves);
  std::vector<algorithms::Schedule> schedules(2);
  for (int rank = 0; rank < 2; ++rank) {
    algorithms::Schedule& schedule = schedules[static_cast<std::size_t>(rank)];
    schedule.begin_step();
    schedule.send(1 - rank, {rank, 1});
    schedule.receive(1 - rank, {1 - rank, 1});
  }
  EXPECT_THAT(contention(tree, std::vector{0, 3}, schedules), IsEmpty());
}

TEST(Contention, WithoutStepsThereIsNone) { EXPECT_THAT(contention_of_ring({1}, {0}), IsEmpty()); }

// The ring along a row of a torus has no contention; one that jumps shares the links in between.
TEST(Contention, OfATorus) {
  const topology::Torus torus = topology::Torus::parse("--topology", "torus:3x4");
  const auto ring = [&](const std::vector<int>& order) {
    return contention(torus, std::vector{4, 5, 6, 7}, ring_schedules(order, order.size() - 1));
  };
  EXPECT_THAT(ring({0, 1, 2, 3}), IsEmpty());
  EXPECT_EQ(ring({0, 2, 3, 1}), "step 0: link n4 -> n5 carries rank 0 to 2 and rank 3 to 1");
}

}  // namespace
}  // namespace gatherbench::proof
