// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/watchdog.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

namespace gatherbench::bench {
namespace {

TEST(WatchdogDeathTest, EndsWhatMakesNoProgress) {
  EXPECT_EXIT(
      {
        const Watchdog watchdog("bench", 0, 0.05);
        Watchdog::describe(" in case 3");
        for (;;) pause();
      },
      testing::ExitedWithCode(Watchdog::timeout_exit_code),
      "bench: rank 0 made no progress for 0.05 s \\(--timeout\\) in case 3; "
      "if the launcher does not return, end it: process [0-9]+ on ");
}

TEST(WatchdogDeathTest, WatchesBeforeTheRankIsKnown) {
  EXPECT_EXIT(
      {
        const Watchdog watchdog("bench", Watchdog::unknown_rank, 100);
        Watchdog::describe(" while starting MPI");
        std::raise(SIGTERM);
      },
      testing::ExitedWithCode(128 + SIGTERM),
      "bench: stopped by SIGTERM while starting MPI; a launcher sends this signal too when "
      "another rank has ended");
  EXPECT_EXIT(
      {
        Watchdog watchdog("bench", Watchdog::unknown_rank, 0.05);
        watchdog.set_rank(0);
        for (;;) pause();
      },
      testing::ExitedWithCode(Watchdog::timeout_exit_code), "rank 0 made no progress for 0.05 s");
}

TEST(WatchdogDeathTest, NamesWhatIsSuspected) {
  EXPECT_EXIT(
      {
        const Watchdog watchdog("bench", 0, 0.05);
        Watchdog::describe(" in case 3");
        Watchdog::suspect("; this may be the cause");
        for (;;) pause();
      },
      testing::ExitedWithCode(Watchdog::timeout_exit_code), " in case 3; this may be the cause; ");
}

TEST(WatchdogDeathTest, LeavesAloneWhatProceeds) {
  EXPECT_EXIT(
      {
        const Watchdog watchdog("bench", 0, 2);
        for (int i = 0; i < 30; ++i) {
          usleep(100'000);
          Watchdog::beat();
        }
        _exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST(WatchdogDeathTest, ReportsSignalsOnRank0) {
  EXPECT_EXIT(
      {
        const Watchdog watchdog("bench", 0, 100);
        Watchdog::describe("; file holds 2");
        std::raise(SIGTERM);
      },
      testing::ExitedWithCode(128 + SIGTERM), "bench: stopped by SIGTERM; file holds 2");
  EXPECT_EXIT(
      {
        const Watchdog watchdog("bench", 1, 100);
        std::raise(SIGTERM);
      },
      testing::ExitedWithCode(128 + SIGTERM), "^$");
}

TEST(WatchdogDeathTest, SaysNothingOfSignalsWhereTheCauseIsTold) {
  EXPECT_EXIT(
      {
        const Watchdog watchdog("bench", 0, 100);
        Watchdog::say_no_more();
        std::raise(SIGTERM);
      },
      testing::ExitedWithCode(128 + SIGTERM), "^$");
}

TEST(WatchdogDeathTest, LeavesIgnoredWhatWasIgnoredBefore) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);  // as nohup does
        {
          const Watchdog watchdog("bench", 0, 100);
          std::raise(SIGHUP);
        }
        std::raise(SIGHUP);
        _exit(7);
      },
      testing::ExitedWithCode(7), "^$");
}

TEST(WatchdogDeathTest, RemovesWhatWouldBeLeftBehind) {
  const std::string path = testing::TempDir() + "watchdog_" + std::to_string(getpid());
  std::ofstream(path) << "socket";
  EXPECT_EXIT(
      {
        const Watchdog watchdog("bench", 0, 100);
        Watchdog::remove_at_end(path);
        std::raise(SIGTERM);
      },
      testing::ExitedWithCode(128 + SIGTERM), "stopped by SIGTERM");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(WatchdogDeathTest, SignalsWaitWhileHeld) {
  EXPECT_EXIT(
      {
        const Watchdog watchdog("bench", 0, 100);
        {
          const SignalsHeld held;
          std::raise(SIGTERM);
          if (write(STDERR_FILENO, "whole;", 6) != 6) _exit(1);
        }
        _exit(0);
      },
      testing::ExitedWithCode(128 + SIGTERM), "whole;bench: stopped");
}

}  // namespace
}  // namespace gatherbench::bench
