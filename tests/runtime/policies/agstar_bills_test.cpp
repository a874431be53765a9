// SPDX-License-Identifier: BSD-3-Clause
//
// What an algorithm costs the program after the call counts where it can be told from what the
// program does itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "runtime/policies/agstar.h"
#include "tests/runtime/policies/replay.h"
#include "tests/runtime/policies/worlds.h"

namespace gatherbench::policies {
namespace {

constexpr std::int64_t five_percent = 50;
constexpr std::int64_t many_calls = 3000;
enum : std::size_t { native, A };

std::vector<Candidate> native_and_a() { return {{"native", 0, {}}, {"A", 1, {}}}; }

TimeOf always(std::vector<std::int64_t> of_each) {
  return [of_each = std::move(of_each)](std::int64_t, std::size_t candidate) {
    return of_each[candidate];
  };
}

/// Up to so much more than always, evenly spread.
TimeOf noisy(std::vector<std::int64_t> of_each, std::int64_t most_more, std::uint64_t seed) {
  return [=, of_each = std::move(of_each)](std::int64_t call, std::size_t candidate) {
    const std::uint64_t more = hashed(seed, static_cast<std::uint64_t>(call));
    return of_each[candidate] + static_cast<std::int64_t>(more % (most_more + 1));
  };
}

std::size_t leader_after(const TimeOf& time_of, const GapOf& gap_of,
                         std::int64_t calls = many_calls) {
  Agstar policy(native_and_a(), five_percent);
  replay(policy, calls, time_of, 0, gap_of);
  return policy.leader();
}

std::vector<CallPlan> call_plans(const TimeOf& time_of, const GapOf& gap_of) {
  Agstar policy(native_and_a(), five_percent);
  std::vector<CallPlan> found;
  for (const Agreement& each : replay(policy, many_calls, time_of, 0, gap_of).agreements) {
    found.push_back(each.call_plan);
  }
  return found;
}

/// The call is slower by 10 %, and the gap behind it shorter by 20 % of a call.
TEST(AgstarBills, AShorterCycleWins) {
  EXPECT_EQ(leader_after(always({100, 110}), always({60, 40})), A);
  EXPECT_EQ(leader_after(always({100, 110}), {}), native);
  EXPECT_EQ(leader_after(noisy({100, 110}, 4, 1), noisy({60, 40}, 4, 2)), A);
}

TEST(AgstarBills, ALongerCycleLoses) {
  EXPECT_EQ(leader_after(always({100, 90}), always({40, 60})), native);
  EXPECT_EQ(leader_after(always({100, 90}), {}), A);
}

/// The call alone would send a leader back to native here, for taking over 1.1 times as long.
TEST(AgstarBills, TheLeaderIsWatchedWithItsBill) {
  EXPECT_EQ(leader_after(always({100, 130}), always({80, 10}), 100'000), A);
}

TEST(AgstarBills, NoisyGapsDecideNothing) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const GapOf for_a = noisy({60, 40}, 100, seed);
    const GapOf for_native = noisy({40, 60}, 100, seed);
    EXPECT_EQ(leader_after(always({100, 110}), for_a), native) << seed;
    EXPECT_EQ(leader_after(always({100, 80}), for_native), A) << seed;
  }
}

/// Rounds of two runs of three meet a long stretch with the one and a short one with the other.
TEST(AgstarBills, AProgramThatTakesTurnsDecidesNothing) {
  const GapOf in_turns = [](std::int64_t call, std::size_t) { return call / 3 % 2 == 0 ? 60 : 10; };
  EXPECT_EQ(leader_after(always({100, 110}), in_turns), native);
}

TEST(AgstarBills, LongGapsChangeNothing) {
  EXPECT_EQ(call_plans(always({100, 110}), always({10'100, 10'000})),
            call_plans(always({100, 110}), {}));
}

TEST(AgstarBills, GapsThatOneRankDoesNotKnowChangeNothing) {
  const GapOf with_a_hole = [](std::int64_t call, std::size_t candidate) {
    return call % 17 == 5 ? no_gap : candidate == native ? 60 : 10;
  };
  Agstar policy(native_and_a(), five_percent);
  policy.next({});
  policy.next(std::vector<std::int64_t>(4, 100));
  policy.heed_gaps(std::vector<std::int64_t>{no_gap, 10, 10, no_gap, 60, no_gap});
  policy.next(std::vector<std::int64_t>{110, 110, 110, 100, 100, 100});
  EXPECT_EQ(policy.scores()[native].time_ns, 100);
  EXPECT_EQ(leader_after(always({100, 110}), with_a_hole), native);
}

/// Four calls, a round and a duel: what is spent is the calls, what trying cost has the bills in
/// it.
TEST(AgstarBills, TimeSpentIsThatOfTheCalls) {
  Agstar policy(native_and_a(), five_percent);
  replay(policy, 4 + 2 * 3 + 2 * 17 + 16, always({100, 60}), 0, always({30, 10}));
  EXPECT_EQ(policy.leader(), A);
  EXPECT_EQ(policy.scores()[native].time_ns, 100 + 20);
  EXPECT_EQ(policy.scores()[A].time_ns, 60);
  EXPECT_EQ(policy.spent_ns(), 7 * 100 + 3 * 60 + 17 * (100 + 60));
  EXPECT_EQ(policy.excess_ns(), 17 * (100 + 20 - 60));
}

TEST(AgstarBills, ASuccessorHasThem) {
  Agstar policy(native_and_a(), five_percent);
  replay(policy, many_calls, always({100, 110}), 0, always({60, 40}));
  const std::unique_ptr<Policy> next = policy.successor(0);
  replay(*next, many_calls, always({100, 110}), 0, always({60, 40}));
  EXPECT_EQ(next->leader(), A);
  EXPECT_EQ(next->scores()[native].time_ns, 120);
}

}  // namespace
}  // namespace gatherbench::policies
