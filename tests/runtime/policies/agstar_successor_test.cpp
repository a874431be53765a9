// SPDX-License-Identifier: BSD-3-Clause
//
// What was learnt on one communicator, and what is still owed, goes on with the next one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/policies/agstar.h"
#include "runtime/policies/short_calls.h"
#include "tests/runtime/policies/replay.h"

namespace gatherbench::policies {
namespace {

using testing::ElementsAre;

constexpr std::int64_t five_percent = 50;
enum : std::size_t { native, A };

std::vector<std::int64_t> equal(std::size_t count, std::int64_t time) {
  return std::vector<std::int64_t>(count, time);
}

Agstar make(std::size_t count) {
  std::vector<Candidate> candidates(count);
  for (std::size_t i = 0; i < count; ++i) candidates[i] = {std::to_string(i), i, {}};
  return Agstar(candidates, five_percent);
}

/// The first call plan is that of any communicator: some ranks may have nothing to go on from.
TEST(AgstarSuccessor, BeginsWithNativeAndThenTakesWhatLed) {
  Agstar policy = make(2);
  replay(policy, 1000, [](std::int64_t, std::size_t each) { return each == A ? 60 : 100; });
  ASSERT_EQ(policy.leader(), A);
  const auto next = policy.successor(0);
  EXPECT_THAT(next->next({}), ElementsAre(Phase{native, 4, Timing::each}));
  EXPECT_THAT(next->next(equal(4, 100)), ElementsAre(Phase{A, 16, Timing::sampled}));
  EXPECT_EQ(next->excess_ns(), 0);
  EXPECT_GT(next->scores()[A].values, 16);
}

/// A round that was cut off by the communicator's end is not tried again before it is paid.
TEST(AgstarSuccessor, PaysWhatTheOneBeforeOwes) {
  Agstar policy = make(2);
  policy.next({});
  EXPECT_EQ(policy.next(equal(4, 100)).size(), 2U);
  const auto next = policy.successor(50);
  next->next({});
  // Eight calls have paid 40 of 50.
  EXPECT_THAT(next->next(equal(4, 100)), ElementsAre(Phase{native, 3, Timing::sampled}));
  EXPECT_EQ(next->next(equal(3, 100)).size(), 2U);
}

TEST(ShortCalls, AreWorthTryingWhereRanksMayCopy) {
  for (const bool may_copy : {false, true}) {
    EXPECT_EQ(worth_of_trying(20'000, {}, may_copy), Worth::now);
    EXPECT_EQ(worth_of_trying(19'999, {}, may_copy), may_copy ? Worth::later : Worth::nothing);
    EXPECT_EQ(worth_of_trying(1'000, {}, may_copy), may_copy ? Worth::later : Worth::nothing);
    EXPECT_EQ(worth_of_trying(999, {}, may_copy), Worth::nothing);
    // The user's value holds for all.
    EXPECT_EQ(worth_of_trying(999, 0, may_copy), Worth::now);
    EXPECT_EQ(worth_of_trying(19'999, 20'000, may_copy), Worth::nothing);
  }
}

/// 5 % of 10,000 calls of 2 us are what setting up takes.
TEST(ShortCalls, PayBeforeAnythingIsTried) {
  const auto policy = make(2).successor(set_up_ns);
  std::int64_t calls = 0;
  CallPlan call_plan = policy->next({});
  while (call_plan.size() == 1 && calls < 20'000) {
    EXPECT_EQ(call_plan[0].candidate, native);
    calls += call_plan[0].calls;
    call_plan = policy->next(equal(static_cast<std::size_t>(call_plan[0].times()), 2'000));
  }
  EXPECT_GE(calls, 10'000);
  EXPECT_LE(calls, 10'000 + Agstar::longest_window);
}

/// However often communicators come and go: of ten calls each, which is less than a round.
TEST(AgstarSuccessor, OfShortCommunicatorsTheBoundHoldsTogether) {
  std::unique_ptr<Policy> policy = std::make_unique<Agstar>(make(3));
  std::int64_t cost = 0;
  constexpr std::int64_t communicators = 200;
  for (std::int64_t comm = 0; comm < communicators; ++comm) {
    std::int64_t unpaid = 0;
    std::int64_t calls = 0;
    std::vector<std::int64_t> times;
    while (calls < 10) {
      const CallPlan call_plan = policy->next(times);
      times.clear();
      unpaid = 0;
      for (const Phase& phase : call_plan) {
        const std::int64_t time = phase.candidate == native ? 100 : 300;
        for (std::int64_t i = 0; i < phase.calls && calls < 10; ++i, ++calls) {
          if (phase.is_timed(i)) times.push_back(time);
          unpaid += time - 100;
        }
      }
      cost += unpaid;
    }
    policy = policy->successor(unpaid);
  }
  constexpr std::int64_t round = 6 * 200;
  EXPECT_LE(cost, communicators * 10 * 100 / 20 + round);
  EXPECT_GT(cost, round);
}

/// Making ready what leads has its price on each communicator.
TEST(AgstarSuccessor, StaysWithNativeWhileItOwes) {
  Agstar policy = make(2);
  replay(policy, 1000, [](std::int64_t, std::size_t each) { return each == A ? 60 : 100; });
  const std::int64_t paid = policy.spent_ns() / 20 - policy.excess_ns();
  const auto next = policy.successor(paid + 1002);
  next->next({});
  // The four calls pay 20; 982 are left.
  EXPECT_THAT(next->next(equal(4, 100)), ElementsAre(Phase{native, 197, Timing::sampled}));
  EXPECT_THAT(next->next(equal(16, 100)), ElementsAre(Phase{A, 16, Timing::sampled}));
  EXPECT_EQ(next->leader(), A);
}

}  // namespace
}  // namespace gatherbench::policies
