// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include "formats/text/words.h"

namespace gatherbench::text {
namespace {

TEST(NumberRuns, AreJoined) {
  EXPECT_EQ(format_runs(std::vector<int>{}), "");
  EXPECT_EQ(format_runs(std::vector{3}), "3");
  EXPECT_EQ(format_runs(std::vector{0, 1, 4}), "0-1,4");
  EXPECT_EQ(format_runs(std::vector{0, 2, 3, 4, 9}), "0,2-4,9");
}

}  // namespace
}  // namespace gatherbench::text
