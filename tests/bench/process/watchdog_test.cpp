// SPDX-License-Identifier: BSD-3-Clause
#include "bench/process/watchdog.h"

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
