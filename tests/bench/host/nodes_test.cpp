// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gatherbench::bench {
namespace {

using testing::ElementsAre;

// Loch 2021, figure 15, in small: 3 nodes of 2.
TEST(Mapping, SequentialFillsANodeFirst) {
  const std::vector<int> dealt{0, 1, 2, 0, 1, 2};
  EXPECT_THAT(order_ranks(dealt, Mapping::sequential), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(order_ranks(dealt, Mapping::cyclic), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Mapping, CyclicTakesOneOfEachInTurn) {
  const std::vector<int> filled{0, 0, 1, 1, 2, 2};
  EXPECT_THAT(order_ranks(filled, Mapping::cyclic), ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(order_ranks(filled, Mapping::sequential), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Mapping, CyclicLeavesOutFullNodes) {
  EXPECT_THAT(order_ranks(std::vector{0, 0, 0, 1, 2, 2}, Mapping::cyclic),
              ElementsAre(0, 3, 4, 1, 5, 2));
}

TEST(Mapping, LabelsSayWhatTheOrderIs) {
  EXPECT_EQ(classify_order(std::vector{0, 0, 1, 1}), "sequential");
  EXPECT_EQ(classify_order(std::vector{0, 1, 0, 1}), "cyclic");
  EXPECT_EQ(classify_order(std::vector{0, 1, 1, 0}), "custom");
  EXPECT_EQ(classify_order(std::vector{0, 0, 0}), "sequential");
  EXPECT_EQ(classify_order(std::vector{0, 1, 2}), "sequential");  // one a node: both
}

// Rank 0 of the world prints and writes; every mapping keeps it rank 0.
TEST(Mapping, Rank0StaysRank0) {
  for (const auto& nodes : {std::vector{0, 1, 2, 0}, std::vector{0, 1, 1, 1}, std::vector{0}}) {
    for (const Mapping mapping : {Mapping::as_launched, Mapping::sequential, Mapping::cyclic}) {
      EXPECT_EQ(order_ranks(nodes, mapping).front(), 0);
    }
  }
}

}  // namespace
}  // namespace gatherbench::bench
