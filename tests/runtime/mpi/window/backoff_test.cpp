// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "runtime/mpi/window/wait.h"

namespace gatherbench::mpi {
namespace {

using namespace std::chrono_literals;
using Kind = Backoff::Kind;
using Time = Backoff::Clock::time_point;

/// Returns how often this thread has left its processor by itself, other than by a yield.
long sleeps() {
  rusage usage{};
  EXPECT_EQ(getrusage(RUSAGE_THREAD, &usage), 0);
  return usage.ru_nvcsw;
}

TEST(Backoff, YieldsWhereOnlyRanksShareTheProcessors) {
  Backoff backoff;
  const Time now = Backoff::Clock::now();
  EXPECT_EQ(backoff.kind(now), Kind::yield);
  backoff.yielded(now, now + 1ms);
  EXPECT_EQ(backoff.kind(now + 1ms), Kind::yield);
}

TEST(Backoff, SleepsForAWhileWhereAYieldTookATimeSlice) {
  Backoff backoff;
  const Time now = Backoff::Clock::now();
  const Time end = now + 4ms;
  backoff.yielded(now, end);
  EXPECT_EQ(backoff.kind(end), Kind::sleep);
  EXPECT_EQ(backoff.kind(end + 80ms - 1ns), Kind::sleep);
  EXPECT_EQ(backoff.kind(end + 80ms), Kind::yield);
}

// Later yields that are short say nothing of before.
TEST(Backoff, AShortYieldDoesNotEndTheWhile) {
  Backoff backoff;
  const Time now = Backoff::Clock::now();
  backoff.yielded(now, now + 4ms);
  backoff.yielded(now + 4ms, now + 4ms + 1us);
  EXPECT_EQ(backoff.kind(now + 5ms), Kind::sleep);
}

TEST(Backoff, GivesTheProcessorAwayByASleep) {
  Backoff backoff;
  const Time now = Backoff::Clock::now();
  backoff.yielded(now - 1h, now);  // so that no load of the machine outlasts the while
  const long before = sleeps();
  // The slack is that of a benchmark which sleeps until a rank's arrival. A sleep is none if its
  // time is over before the thread gives the processor away, as one of a nanosecond is then.
  const int slack_ns = prctl(PR_GET_TIMERSLACK);
  ASSERT_EQ(prctl(PR_SET_TIMERSLACK, 1), 0);
  for (int i = 0; i < 1000 && sleeps() == before; ++i) backoff.give_away();
  ASSERT_EQ(prctl(PR_SET_TIMERSLACK, slack_ns), 0);
  EXPECT_GT(sleeps(), before);
}

}  // namespace
}  // namespace gatherbench::mpi
