// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/policies/agstar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/runtime/policies/replay.h"

namespace gatherbench::policies {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t five_percent = 50;
enum : std::size_t { native, A, B, C };

/// Constant times.
TimeOf always(std::vector<std::int64_t> times) {
  return
      [times = std::move(times)](std::int64_t, std::size_t candidate) { return times[candidate]; };
}

std::vector<Candidate> candidates(std::size_t count) {
  std::vector<Candidate> found(count);
  for (std::size_t i = 0; i < count; ++i) found[i] = {std::string(1, "nABCDEFGHIJKL"[i]), i, {}};
  return found;
}

std::vector<Candidate> expected_to_take(const std::vector<std::int64_t>& times) {
  std::vector<Candidate> found = candidates(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) found[i].prior_ns = times[i];
  return found;
}

Phase run(std::size_t candidate) { return {candidate, 3, Timing::each}; }
/// The times of a round in which every call of a candidate takes as long.
std::vector<std::int64_t> runs(const std::vector<std::int64_t>& times) {
  std::vector<std::int64_t> found;
  for (const std::int64_t time : times) found.insert(found.end(), 3, time);
  return found;
}
Phase duel(std::size_t candidate) { return {candidate, 17, Timing::each}; }
Phase plain(std::size_t candidate, std::int64_t calls) {
  return {candidate, calls, Timing::sampled};
}

std::vector<std::int64_t> equal(std::size_t count, std::int64_t time) {
  return std::vector<std::int64_t>(count, time);
}
/// The call plans as text, "4*n n A B C 16*A" with a bar between call plans.
std::string text(const Replay& replay) {
  std::string found;
  for (const Agreement& agreement : replay.agreements) {
    if (!found.empty()) found += " |";
    for (const Phase& phase : agreement.call_plan) {
      if (!found.empty()) found += ' ';
      if (phase.calls > 1) found += std::to_string(phase.calls) + '*';
      found += "nABCDEFGHIJKL"[phase.candidate];
    }
  }
  return found;
}

// The five of the policy's definition, agreement by agreement.

TEST(Agstar, TriesAllAndTakesTheOneThatLooksBest) {
  Agstar policy(candidates(4), five_percent);
  const Replay found = replay(policy, 136, always({100, 60, 150, 400}));
  EXPECT_EQ(text(found), "4*n | 3*A 3*B 3*C 3*n | 17*n 17*A | 16*A | 32*A | 64*A");
  EXPECT_EQ(found.agreements[1].leader, native);
  EXPECT_EQ(found.agreements[2].leader, A);
  EXPECT_EQ(found.agreements[2].excess_ns, 1050);
  EXPECT_EQ(found.agreements[5].excess_ns, 1730);
  EXPECT_EQ(policy.spent_ns(), 8130);  // before the last window, which is not told yet
}

TEST(Agstar, DropsWhatIsTooSlow) {
  Agstar policy(candidates(4), five_percent);
  EXPECT_THAT(policy.next({}), ElementsAre(Phase{native, 4, Timing::each}));
  EXPECT_THAT(policy.alive(), ElementsAre(A, B, C));
  EXPECT_THAT(policy.next(std::vector<std::int64_t>(4, 100)),
              ElementsAre(run(A), run(B), run(C), run(native)));
  EXPECT_THAT(policy.next(runs({80, 150, 400, 100})), ElementsAre(plain(A, 16)));
  EXPECT_EQ(policy.leader(), native);
  EXPECT_THAT(policy.alive(), ElementsAre(A, B));
  EXPECT_THAT(policy.next(equal(16, 80)), ElementsAre(duel(native), duel(A)));
  EXPECT_EQ(policy.leader(), A);
  EXPECT_THAT(policy.alive(), IsEmpty());
  EXPECT_EQ(policy.spent_ns(), 3870);
}

TEST(Agstar, LeavesOutWhatIsExpectedToTakeTwiceTheLeast) {
  const std::vector<std::int64_t> times{100, 60, 150, 400};
  Agstar policy(expected_to_take(times), five_percent);
  EXPECT_EQ(text(replay(policy, 120, always(times))),
            "4*n | 3*A 3*n | 17*n 17*A | 16*A | 32*A | 64*A");
  EXPECT_EQ(policy.excess_ns(), 17 * 40);
  EXPECT_EQ(policy.spent_ns(), 6480);
}

TEST(Agstar, HalfTheTimeNeedsOneRound) {
  Agstar policy(candidates(2), five_percent);
  EXPECT_EQ(text(replay(policy, 54, always({100, 45}))), "4*n | 3*A 3*n | 16*A | 32*A");
}

TEST(Agstar, ARoundOfLongCallsHasOneOfEach) {
  const std::vector<std::int64_t> times{10'000'000, 4'900'000, 15'000'000, 40'000'000};
  Agstar policy(candidates(4), five_percent);
  const Replay found = replay(policy, 8, always(times));
  EXPECT_EQ(text(found), "4*n | A B C n");
  policy.next(std::vector<std::int64_t>{4'900'000, 15'000'000, 40'000'000, 10'000'000});
  EXPECT_EQ(policy.leader(), A);
  EXPECT_EQ(policy.excess_ns(), 5'000'000 + 30'000'000);
  Agstar shorter(candidates(2), five_percent);
  EXPECT_EQ(text(replay(shorter, 8, always({9'999'999, 4'900'000}))), "4*n | 3*A 3*n");
}

TEST(Agstar, ATieChangesNothing) {
  Agstar policy(candidates(3), five_percent);
  std::string rounds = "4*n";
  for (int i = 0; i < 9; ++i) rounds += " | 3*A 3*B 3*n";
  EXPECT_EQ(text(replay(policy, 197, always({100, 99, 104}))), rounds + " | 16*n | 32*n | 64*n");
  EXPECT_EQ(policy.excess_ns(), 108);
}

TEST(Agstar, GoesBackToNativeWhenTheLeaderBecameSlowerThanNativeWas) {
  Agstar policy(candidates(2), five_percent);
  const Replay found = replay(policy, 156, [](std::int64_t call, std::size_t candidate) {
    return candidate == native ? 100 : call < 92 ? 60 : 130;
  });
  EXPECT_EQ(text(found), "4*n | 3*A 3*n | 17*n 17*A | 16*A | 32*A | 64*A");
  EXPECT_EQ(policy.next(equal(16, 130)), CallPlan{plain(native, 256)});
  EXPECT_THAT(policy.alive(), ElementsAre(A));
  EXPECT_EQ(policy.excess_ns(), 17 * 40 + 64 * 30);  // the last window took too long
  EXPECT_EQ(policy.spent_ns(), 14800);
}

// A world where the time of a call depends on what the call before it left.

/// Two of which each is fast behind the other, by what is in the caches.
TEST(Agstar, ARunFindsWhatItsOwnCallsLeave) {
  std::size_t last = native;
  const TimeOf time_of = [&](std::int64_t, std::size_t candidate) {
    const bool behind_the_other = std::exchange(last, candidate) != candidate;
    if (candidate == native) return behind_the_other ? 150 : 92;
    return behind_the_other ? 85 : 150;
  };
  Agstar policy(candidates(2), five_percent);
  EXPECT_EQ(text(replay(policy, 58, time_of)), "4*n | 3*A 3*n | 16*n | 32*n");
  EXPECT_THAT(policy.alive(), IsEmpty());
  EXPECT_EQ(policy.excess_ns(), 2 * (150 - 92) + (150 - 92));  // native's, too, behind A
}

TEST(Agstar, ADuelConfirmsALeaderAtOnce) {
  Agstar policy(candidates(2), five_percent);
  EXPECT_EQ(text(replay(policy, 92, always({100, 60}))), "4*n | 3*A 3*n | 17*n 17*A | 16*A | 32*A");
  EXPECT_EQ(policy.excess_ns(), 17 * 40);
  EXPECT_EQ(policy.leader(), A);
}

TEST(Agstar, ADuelOfWhatTakesHalfTheTimeIsPaidForFirst) {
  Agstar policy(candidates(2), five_percent);
  EXPECT_EQ(text(replay(policy, 540, always({100, 45}))),
            "4*n | 3*A 3*n | 16*A | 32*A | 64*A | 128*A | 256*A | 17*n 17*A");
}

/// The first calls of native were slow, as all first calls are: 30 where it takes 15 later.
TEST(Agstar, ADuelFindsNativeAsItIsByNow) {
  Agstar policy(candidates(2), five_percent);
  const Replay found = replay(policy, 92, [](std::int64_t call, std::size_t candidate) {
    return candidate == A ? 17 : call < 10 ? 30 : 15;
  });
  EXPECT_EQ(text(found), "4*n | 3*A 3*n | 17*n 17*A | 16*n | 32*n");
}

/// A is fast in the first calls of a run only, which is all that a round has of it.
TEST(Agstar, ADuelGoesBackToNative) {
  std::int64_t in_a_row = 0;
  const TimeOf time_of = [&](std::int64_t, std::size_t candidate) {
    in_a_row = candidate == A ? in_a_row + 1 : 0;
    return candidate == native ? 100 : in_a_row <= 3 ? 60 : 105;
  };
  Agstar policy(candidates(2), five_percent);
  const Replay found = replay(policy, 92, time_of);
  EXPECT_EQ(text(found), "4*n | 3*A 3*n | 17*n 17*A | 16*n | 32*n");
  EXPECT_EQ(policy.leader(), native);
  EXPECT_THAT(policy.alive(), IsEmpty());
  EXPECT_EQ(policy.excess_ns(), 14 * 5);
}

// And what these do not reach.

TEST(Agstar, TwoSlowWindowsRunningBeginAnew) {
  Agstar policy(candidates(2), five_percent);
  policy.next({});
  policy.next(equal(4, 100));
  EXPECT_THAT(policy.next(runs({201, 100})), ElementsAre(plain(native, 16)));
  EXPECT_THAT(policy.alive(), IsEmpty());
  EXPECT_THAT(policy.next(equal(16, 100)), ElementsAre(plain(native, 32)));
  EXPECT_THAT(policy.next(equal(16, 111)), ElementsAre(plain(native, 32)));
  EXPECT_THAT(policy.next(equal(16, 110)), ElementsAre(plain(native, 64)));
  EXPECT_THAT(policy.next(equal(16, 111)), ElementsAre(plain(native, 64)));
  EXPECT_THAT(policy.alive(), IsEmpty());
  EXPECT_THAT(policy.next(equal(16, 111)), ElementsAre(run(A), run(native)));
  EXPECT_THAT(policy.alive(), ElementsAre(A));
  EXPECT_EQ(policy.scores()[native].values, 1);
  EXPECT_EQ(policy.scores()[native].time_ns, 111);
  EXPECT_EQ(policy.scores()[A].values, 0);
}

TEST(Agstar, PlainCallsOfTheLeaderAreWatchedAsAWindowIs) {
  for (const std::int64_t time : {110, 111}) {
    Agstar policy(candidates(4), five_percent);
    policy.next({});
    policy.next(equal(4, 100));
    EXPECT_THAT(policy.next(runs({45, 46, 90, 100})), ElementsAre(run(B), run(A)));
    // B costs 3957 more than A, and is no better.
    EXPECT_THAT(policy.next(std::vector<std::int64_t>{46, 4000, 46, 45, 45, 45}),
                ElementsAre(plain(A, 64)));
    EXPECT_EQ(policy.excess_ns(), 3957);
    EXPECT_THAT(policy.next(equal(16, 45)), ElementsAre(plain(A, 256)));
    policy.next(equal(16, time));
    EXPECT_EQ(policy.leader(), time == 110 ? A : native);
    EXPECT_EQ(policy.alive().size(), time == 110 ? 1U : 3U);
  }
}

/// A had luck in a round, and agreements take long, so that a leader has many plain calls.
TEST(Agstar, ALeaderWithoutADuelIsLookedAtSoon) {
  Agstar policy(candidates(2), five_percent);
  policy.next({});
  policy.next(equal(4, 100));
  policy.count_agreement(1000);
  EXPECT_THAT(policy.next(runs({45, 100})), ElementsAre(plain(A, 64)));
  policy.count_agreement(1000);
  policy.next(equal(16, 120));
  EXPECT_EQ(policy.leader(), native);
}

TEST(Agstar, ACandidateThatWasDearInPlainCallsGetsNoMoreOfThem) {
  Agstar policy(candidates(3), five_percent);
  policy.next({});
  policy.next(equal(4, 100));
  EXPECT_THAT(policy.next(runs({80, 125, 100})), ElementsAre(plain(A, 2)));
  // Its median still is 80, but it cost 880 more than the leader.
  EXPECT_THAT(policy.next(std::vector<std::int64_t>{80, 1000}), ElementsAre(plain(native, 168)));
  EXPECT_THAT(policy.alive(), ElementsAre(A, B));
}

TEST(Agstar, WithoutABudgetOneRoundIsAll) {
  Agstar policy(candidates(3), 0);
  policy.next({});
  policy.next(equal(4, 100));
  EXPECT_THAT(policy.next(runs({99, 101, 100})), ElementsAre(plain(native, 256)));
  EXPECT_THAT(policy.next(equal(16, 100)), ElementsAre(plain(native, 256)));
}

/// An agreement takes twice as long as a call, or ten times: it is paid for as trying is.
TEST(Agstar, AgreementsCountToo) {
  for (const std::int64_t agreement_ns : {200, 1000}) {
    for (const std::vector<std::int64_t>& times :
         {std::vector<std::int64_t>{100, 99, 104}, {100, 60, 150}, {100, 300, 300}}) {
      Agstar policy(candidates(3), five_percent);
      const Replay found = replay(policy, 100'000, always(times), agreement_ns);
      // The excess has room beside the budget for a round, plain calls of a candidate, and the
      // agreement after these.
      const std::int64_t once_ns = 4 * 100 + 3 * 3 * 300 + 16 * 50 + 2 * agreement_ns;
      EXPECT_LE(policy.excess_ns(), policy.spent_ns() / 20 + once_ns);
      EXPECT_EQ(policy.leader(), times[A] == 60 ? A : native);
      EXPECT_THAT(policy.alive(), IsEmpty());
      // The windows at the end pay agreements with a fifth of the budget.
      EXPECT_EQ(found.agreements.back().call_plan[0].calls,
                std::max<std::int64_t>(256, 100 * agreement_ns / times[policy.leader()]));
    }
  }
}

TEST(Agstar, ATimeBelowOneCountsAsOne) {
  Agstar policy(candidates(2), five_percent);
  policy.next({});
  policy.next(std::vector<std::int64_t>{0, -5, -1000000, 0});
  EXPECT_EQ(policy.spent_ns(), 4);
  EXPECT_EQ(policy.scores()[native].time_ns, 1);
  policy.next(runs({200, -1}));
  EXPECT_EQ(policy.excess_ns(), 3 * 199);
}

TEST(Agstar, AtMostEightOfThoseExpectedAreTried) {
  std::vector<std::int64_t> times(13, 100);
  for (std::size_t i = 1; i < times.size(); ++i) times[i] = 112 - static_cast<std::int64_t>(i);
  Agstar policy(expected_to_take(times), five_percent);
  EXPECT_THAT(policy.alive(), ElementsAre(12, 11, 10, 9, 8, 7, 6, 5));
  EXPECT_EQ(Agstar(candidates(13), five_percent).alive().size(), 12U);
}

TEST(Agstar, OfWhomNothingIsExpectedCountsAsTheBest) {
  std::vector<Candidate> some = expected_to_take({500, 300, 200, 401});
  some[A].prior_ns.reset();
  EXPECT_THAT(Agstar(some, five_percent).alive(), ElementsAre(A, B));
}

// All that go by messages are expected to take as long with two ranks, and are more than eight.
TEST(Agstar, OfWhomNothingIsExpectedComesBeforeThoseThatAreAlike) {
  std::vector<Candidate> some = expected_to_take(std::vector<std::int64_t>(13, 100));
  some[12].prior_ns.reset();
  EXPECT_THAT(Agstar(some, five_percent).alive(), ElementsAre(12, 1, 2, 3, 4, 5, 6, 7));
}

TEST(Agstar, NativeAlone) {
  Agstar policy(candidates(1), five_percent);
  EXPECT_EQ(text(replay(policy, 1000, always({100}))),
            "4*n | 16*n | 32*n | 64*n | 128*n | 256*n | 256*n | 256*n");
}

}  // namespace
}  // namespace gatherbench::policies
