// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/selection/progress.h"

#include <gmock/gmock.h>

#include <vector>

namespace gatherbench::selection {
namespace {

using policies::CallPlan;
using policies::Timing;
using testing::ElementsAre;
using testing::IsEmpty;

/// The candidate of each call of a call plan, which take 1, 2, 3, ... ns from 10, 20, 30, ... on.
std::vector<std::size_t> run(Progress& progress, CallPlan call_plan) {
  std::vector<std::size_t> candidates;
  progress.begin(std::move(call_plan));
  for (std::int64_t call = 1; !progress.is_done(); ++call) {
    candidates.push_back(progress.candidate());
    progress.add({10 * call, 11 * call, true});
  }
  return candidates;
}

std::vector<std::int64_t> lengths(const Progress& progress) {
  std::vector<std::int64_t> found;
  for (const Taken& taken : progress.taken()) found.push_back(taken.exit_ns - taken.arrival_ns);
  return found;
}

TEST(Progress, PhasesFollowEachOther) {
  Progress progress;
  const auto candidates = run(progress, {{2, 2, Timing::each}, {0, 1, Timing::each}});
  EXPECT_THAT(candidates, ElementsAre(2U, 2U, 0U));
  EXPECT_THAT(lengths(progress), ElementsAre(1, 2, 3));
  EXPECT_TRUE(progress.taken().front().from_last_arrival);
}

TEST(Progress, WhatIsNotTimedIsCountedOnly) {
  Progress progress;
  EXPECT_THAT(run(progress, {{1, 3, Timing::none}}), ElementsAre(1U, 1U, 1U));
  EXPECT_THAT(progress.taken(), IsEmpty());
}

TEST(Progress, ManyCallsHaveSixteenSamples) {
  Progress progress;
  run(progress, {{0, 160, Timing::sampled}});
  EXPECT_EQ(progress.taken().size(), 16U);
  run(progress, {{0, 3, Timing::sampled}});
  EXPECT_THAT(lengths(progress), ElementsAre(1, 2, 3));
}

/// Before the first call of a run there was one of another.
TEST(Progress, ARunKnowsTheExitsOfItsOwnCallsOnly) {
  Progress progress;
  progress.begin({{0, 2, Timing::each}, {1, 3, Timing::each}});
  for (std::int64_t call = 1; !progress.is_done(); ++call) {
    progress.add({10 * call, 10 * call + 5, true, 10 * call - 5});
  }
  std::vector<std::int64_t> known;
  for (const Taken& taken : progress.taken()) known.push_back(taken.former_exit_ns.value_or(0));
  EXPECT_THAT(known, ElementsAre(0, 15, 0, 35, 45));
}

/// Nobody knows when the last rank came to each of them.
TEST(Progress, ASumHasNoArrival) {
  Progress progress;
  run(progress, {{0, 4, Timing::summed}, {1, 1, Timing::each}});
  EXPECT_THAT(lengths(progress), ElementsAre(1 + 2 + 3 + 4, 5));
  EXPECT_FALSE(progress.taken().front().from_last_arrival);
}

TEST(Progress, ACallPlanBeginsWithoutTheFormerOnesTimes) {
  Progress progress;
  run(progress, {{0, 4, Timing::each}});
  run(progress, {{0, 2, Timing::each}});
  EXPECT_EQ(progress.taken().size(), 2U);
}

/// Nothing is noted of a quiet call. A call that is timed is noted, and the last call of a phase
/// begins the next phase, so neither is quiet.
TEST(Progress, CallsBetweenThoseThatAreTimedAreQuiet) {
  Progress progress;
  progress.begin({{1, 5, Timing::none}, {0, 40, Timing::sampled}, {0, 2, Timing::each}});
  std::vector<std::int64_t> quiet;
  while (!progress.is_done()) {
    quiet.push_back(progress.quiet_calls());
    progress.skip(quiet.back());
    progress.add({});
  }
  // The forty calls have sixteen parts, and the first call of each part is timed: 0, 3, 5, 8, ...
  EXPECT_THAT(quiet, ElementsAre(4, 0, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 0, 0, 0));
  EXPECT_EQ(progress.taken().size(), 18U);
}

TEST(Progress, QuietCallsEndWhereOneIsTimed) {
  for (const std::int64_t calls : {1, 15, 16, 17, 31, 100, 1001}) {
    const policies::Phase phase{0, calls, Timing::sampled};
    for (std::int64_t call = 0; call < calls; ++call) {
      std::int64_t next = call;
      while (next < calls && !phase.is_timed(next)) ++next;
      ASSERT_EQ(phase.next_timed(call), next) << call << " of " << calls;
    }
  }
}

}  // namespace
}  // namespace gatherbench::selection
