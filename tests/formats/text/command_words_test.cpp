// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/text/option_table.h"
#include "tests/message_of.h"

namespace gatherbench::text {
namespace {

std::string refusal(const std::vector<std::string>& words) {
  return message_of([&] { require_values(words); });
}

TEST(CommandWords, AnOptionWithNothingBehindItsEqualsSignIsRefused) {
  EXPECT_EQ(refusal({"--sizes=", "--resume"}),
            "--sizes: '' is no value; legal: a value behind the '='");
  EXPECT_EQ(refusal({"--sizes=1", "--note", "key=", "--note=key=", "-", "--", "--resume"}),
            "no error");
}

TEST(CommandWords, NumbersBelowZeroAreNoOptions) {
  for (const char* const word : {"-1", "-inf", "-nan", "-.5", "-1e999", "-0"}) {
    EXPECT_TRUE(is_negative_number(word)) << word;
  }
  for (const char* const word : {"-i", "-x5", "-in", "--1", "-", "", "1", "-50,99"}) {
    EXPECT_FALSE(is_negative_number(word)) << word;
  }
}

TEST(CommandWords, WhatIsMissingOrTooMuchIsToldInWords) {
  EXPECT_EQ(parser_message("The following argument was not expected: "),
            "command line: '' was not expected; legal: the options that --help lists");
  EXPECT_EQ(parser_message("--sizes: 1 required LIST missing"),
            "--sizes: its value is missing; legal: --sizes LIST");
  EXPECT_EQ(parser_message("--ranks is required"), "--ranks is required");
}

}  // namespace
}  // namespace gatherbench::text
