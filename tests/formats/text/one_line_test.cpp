// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formats/text/words.h"

namespace gatherbench::text {
namespace {

TEST(OneLine, EscapesWhatEndsALineOrSteersATerminal) {
  EXPECT_EQ(in_one_line("--sizes: 'a\nb\r\t\x1b[31m\x7f' \xc2\xb5s"),
            "--sizes: 'a\\nb\\r\\t\\x1b[31m\\x7f' \xc2\xb5s");
}

}  // namespace
}  // namespace gatherbench::text
