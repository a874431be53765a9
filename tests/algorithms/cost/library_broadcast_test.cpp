// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/cost/exit_times.h"

namespace gatherbench::cost {
namespace {

using testing::ElementsAre;

TEST(LibraryBroadcast, OneRankOrNoBytes) {
  EXPECT_THAT(broadcast_exits_us(std::vector{3.0}, 8, {1e-6, 1e-6}), ElementsAre(3));
  EXPECT_THAT(broadcast_exits_us(std::vector{3.0, 0.0}, 0, {1e-6, 1e-6}), ElementsAre(4, 4));
}

// (p-2) alpha + 2 sqrt((p-2) alpha n beta) + n beta, where that is a whole number of segments.
TEST(LibraryBroadcast, OfManyBytesIsAPipeline) {
  const std::vector<double> exits =
      broadcast_exits_us(std::vector<double>(6, 0), 400, {1e-6, 1e-6});
  EXPECT_NEAR(exits.back(), 4 + 2 * std::sqrt(4.0 * 400) + 400, 1e-9);
  // Without start-ups all take what the bytes do; a rank that comes late takes them then.
  EXPECT_THAT(broadcast_exits_us(std::vector{0.0, 0.0, 5.0}, 10, {0, 1e-6}),
              ElementsAre(10, 15, 15));
}

TEST(LibraryBroadcast, OfFewBytesIsATree) {
  EXPECT_THAT(broadcast_exits_us(std::vector<double>(6, 0), 0, {1e-6, 1e-6}),
              ElementsAre(3, 3, 3, 3, 2, 2));
}

// The ranks are counted from the root on.
TEST(LibraryBroadcast, FromAnotherRoot) {
  EXPECT_THAT(broadcast_exits_us(std::vector<double>(6, 0), 0, {1e-6, 1e-6}, 2),
              ElementsAre(2, 2, 3, 3, 3, 3));
  EXPECT_THAT(broadcast_exits_us(std::vector{0.0, 5.0, 0.0}, 10, {0, 1e-6}, 2),
              ElementsAre(15, 15, 10));
}

}  // namespace
}  // namespace gatherbench::cost
