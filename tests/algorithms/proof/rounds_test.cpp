// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/schedule_of.h"

namespace gatherbench::proof {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<algorithms::Schedule> schedules_of(std::string_view text, int ranks) {
  const algorithms::Choice chosen = choice(text);
  return algorithms::make_schedules(*chosen.algorithm, algorithms::problem_for(chosen, ranks));
}

TEST(Rounds, AreTheStepsWhereNobodyWaits) {
  const Rounds rounds = find_rounds(schedules_of("bruck", 10), {});
  EXPECT_THAT(rounds.fault, IsEmpty());
  EXPECT_EQ(rounds.count, 4U);
  for (const std::vector<StepRounds>& steps : rounds.ranks) {
    ASSERT_EQ(steps.size(), 4U);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      EXPECT_EQ(steps[s].begin, s);
      EXPECT_THAT(steps[s].sends, ElementsAre(s));
      EXPECT_THAT(steps[s].receives, ElementsAre(s));
    }
  }
}

// Blocks go to rank 0 by a binomial tree, and back: rank 1 sends its block and waits for two
// rounds.
TEST(Rounds, AreMoreThanTheStepsOfARankThatWaits) {
  const Rounds rounds = find_rounds(schedules_of("gather_bcast", 4), {.moves_twice = true});
  EXPECT_THAT(rounds.fault, IsEmpty());
  EXPECT_EQ(rounds.count, 4U);
  const std::vector<StepRounds>& waiting = rounds.ranks[1];
  ASSERT_EQ(waiting.size(), 2U);
  EXPECT_THAT(waiting[0].sends, ElementsAre(0U));
  EXPECT_EQ(waiting[1].begin, 1U);
  EXPECT_THAT(waiting[1].receives, ElementsAre(3U));
}

TEST(Rounds, OfABarrierAreTheLastRanks) {
  std::vector<algorithms::Schedule> schedules(2);
  schedules[0].begin_step();
  schedules[0].begin_step();
  for (int rank = 0; rank < 2; ++rank) {
    algorithms::Schedule& own = schedules[static_cast<std::size_t>(rank)];
    own.begin_step(true);
    own.send(1 - rank, {rank, 1});
    own.receive(1 - rank, {1 - rank, 1});
  }
  const Rounds rounds = find_rounds(schedules, {});
  EXPECT_THAT(rounds.fault, IsEmpty());
  EXPECT_EQ(rounds.count, 3U);
  EXPECT_EQ(rounds.ranks[1][0].begin, 2U);
  EXPECT_THAT(rounds.ranks[1][0].sends, ElementsAre(2U));
}

TEST(Rounds, OfWhatIsNoAllgatherSayWhy) {
  std::vector<algorithms::Schedule> schedules = schedules_of("ring", 3);
  schedules[1].begin_step();
  schedules[1].send_token(2);
  EXPECT_EQ(find_rounds(schedules, {}).fault, "rank 1 in step 2 waits for ever for 2 to receive");
}

}  // namespace
}  // namespace gatherbench::proof
