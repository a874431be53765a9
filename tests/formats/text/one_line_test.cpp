// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/one_line.h"

#include <gtest/gtest.h>

namespace gatherbench::text {
namespace {

TEST(OneLine, EscapesWhatEndsALineOrSteersATerminal) {
  EXPECT_EQ(in_one_line("--sizes: 'a\nb\r\t\x1b[31m\x7f' \xc2\xb5s"),
            "--sizes: 'a\\nb\\r\\t\\x1b[31m\\x7f' \xc2\xb5s");
}

}  // namespace
}  // namespace gatherbench::text
