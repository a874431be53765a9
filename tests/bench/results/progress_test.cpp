// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gatherbench::bench {
namespace {

using std::chrono::seconds;
using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

constexpr Progress::Clock::time_point start{seconds(1000)};

/// Four cases of 40 s each, of which the first was measured before.
std::string shown(std::optional<bool> asked_for, bool terminal) {
  CaptureStderr();
  Progress progress(asked_for, terminal, 4, start);
  for (int done = 0; done < 3; ++done) {
    progress.show(static_cast<std::size_t>(done), 1, "here", start + done * seconds(40));
  }
  progress.clear();
  return GetCapturedStderr();
}

TEST(Progress, OnATerminalIsOneLine) {
  const std::string line =
      "\r\033[K[1/4] here\r\033[K[2/4] here, about 80 s left\r\033[K[3/4] here, about 40 s "
      "left\r\033[K";
  EXPECT_EQ(shown(std::nullopt, true), line);
  EXPECT_EQ(shown(true, true), line);
}

TEST(Progress, ElsewhereIsALineAMinute) {
  EXPECT_EQ(shown(std::nullopt, false), "[3/4] here, about 40 s left\n");
}

TEST(Progress, ElsewhereIsALineACaseIfAskedFor) {
  EXPECT_EQ(shown(true, false),
            "[1/4] here\n[2/4] here, about 80 s left\n[3/4] here, about 40 s left\n");
}

TEST(Progress, OfALongCaseIsALineAMinute) {
  for (const bool terminal : {false, true}) {
    CaptureStderr();
    Progress progress(std::nullopt, terminal, 1, start);
    progress.show(0, 0, "here", start);
    for (int i = 1; i <= 5; ++i) {
      progress.show_part("round " + std::to_string(i), start + i * seconds(30));
    }
    EXPECT_EQ(GetCapturedStderr(),
              terminal ? "\r\033[K[0/1] here\r\033[K[0/1] here: round 2\r\033[K[0/1] here: round 4"
                       : "[0/1] here: round 2\n[0/1] here: round 4\n");
  }
}

TEST(Progress, IsSilentIfThatIsAskedFor) {
  EXPECT_EQ(shown(false, true), "");
  EXPECT_EQ(shown(false, false), "");
}

}  // namespace
}  // namespace gatherbench::bench
