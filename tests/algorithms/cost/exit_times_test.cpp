// SPDX-License-Identifier: BSD-3-Clause
//
// The exits that algorithms are told, by what messages take.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/algorithms/cost/situation.h"

namespace gatherbench::cost {
namespace {

// Bruck sends 1, 2, and the rest.
TEST(ExitTimes, OfLongMessagesThatAreKnown) {
  const auto exit = [](int p, std::vector<MessageTime> longer) {
    const Situation at_once(Times(static_cast<std::size_t>(p), 0.0), 0.25);
    const algorithms::ExitTimes times = exit_times_of_messages(std::move(longer));
    return times(schedules("bruck_in_place", at_once),
                 at_once.problem(choice("bruck_in_place")))[0];
  };
  EXPECT_NEAR(exit(8, {}), 1 + 1.75 + 3.25, 1e-9);
  EXPECT_NEAR(exit(8, {{128, 3}, {256, 9}}), 1 + 3 + 9, 1e-9);
  EXPECT_NEAR(exit(7, {{128, 3}, {256, 9}}), 1 + 3 + 6, 1e-9);  // 3 blocks are between the two
  EXPECT_NEAR(exit(8, {{128, 3}}), 1 + 3 + 6, 1e-9);            // twice as long
  EXPECT_NEAR(exit(8, {{256, 7}}), 1 + 3 + 7, 1e-9);            // between 1 and 4
}

// A byte takes 1 us of the 4 that a block of mean size does, and a message 2 more.
TEST(ExitTimes, OfUnequalBlocks) {
  Situation situation({0, 10}, 0);
  situation.block_bytes = {1, 3};
  algorithms::Problem problem = situation.problem(choice("ring"));
  problem.message_us = 4;
  problem.start_us = 2;
  const std::vector<Schedule> ring = schedules("ring", situation);
  const Times exits = exit_times_of_messages()(ring, problem);
  EXPECT_NEAR(exits[0], 15, 1e-9);
  EXPECT_NEAR(exits[1], 15, 1e-9);
  problem.message_us = 1;  // measured as less than that of no bytes
  EXPECT_NEAR(exit_times_of_messages()(ring, problem)[0], 12, 1e-9);
}

}  // namespace
}  // namespace gatherbench::cost
