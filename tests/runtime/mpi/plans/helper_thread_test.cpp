// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/helper_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <stdexcept>

namespace gatherbench::mpi {
namespace {

void wait_until(const std::function<bool()>& holds) {
  while (!holds()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(HelperThread, TakesTurnsUntilItIsDone) {
  HelperThread helper;
  for (int task = 0; task < 3; ++task) {
    std::atomic<int> turns{0};
    helper.start([&] { return ++turns < 5 ? Advance::moved : Advance::done; });
    wait_until([&] { return turns == 5; });
    helper.stop();
    EXPECT_EQ(turns, 5);
  }
}

TEST(HelperThread, NoTurnComesAfterStop) {
  HelperThread helper;
  std::atomic<int> turns{0};
  helper.start([&] {
    ++turns;
    return Advance::idle;
  });
  wait_until([&] { return turns > 3; });
  helper.stop();
  const int stopped = turns;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(turns, stopped);
  EXPECT_GT(helper.busy_us(), 0);
  helper.stop();  // nothing is under way
}

TEST(HelperThread, SleepsMoreThanItWorks) {
  HelperThread helper;
  std::atomic<int> turns{0};
  helper.start([&] {
    ++turns;
    return Advance::idle;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  helper.stop();
  EXPECT_LE(turns, 100'000 / 200 + 10);
  EXPECT_LT(helper.busy_us(), 50'000);
}

TEST(HelperThread, ThrowsInTheThreadThatAsks) {
  HelperThread helper;
  std::atomic<bool> threw{false};
  helper.start([&]() -> Advance {
    threw = true;
    throw std::runtime_error("planted");
  });
  wait_until([&] { return threw.load(); });
  EXPECT_THROW(helper.stop(), std::runtime_error);
  EXPECT_THROW(helper.check(), std::runtime_error);  // and again
}

TEST(HelperThread, EndsInEveryState) {
  { const HelperThread unused; }
  HelperThread busy;
  busy.start([] { return Advance::idle; });
  HelperThread failed;
  failed.start([]() -> Advance { throw std::runtime_error("planted"); });
  HelperThread done;
  done.start([] { return Advance::done; });
}

TEST(HelperThread, HandlesNoSignals) {
  HelperThread helper;
  std::atomic<bool> blocked{false};
  std::atomic<bool> looked{false};
  helper.start([&] {
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, nullptr, &set);
    blocked = sigismember(&set, SIGALRM) == 1 && sigismember(&set, SIGTERM) == 1;
    looked = true;
    return Advance::done;
  });
  wait_until([&] { return looked.load(); });
  helper.stop();
  EXPECT_TRUE(blocked);
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  EXPECT_EQ(sigismember(&own, SIGALRM), 0);
}

}  // namespace
}  // namespace gatherbench::mpi
