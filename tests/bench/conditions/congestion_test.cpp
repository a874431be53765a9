// SPDX-License-Identifier: BSD-3-Clause
//
// The texts of --congest; congestion_mpitest.cpp has what the ranks do.
#include "bench/conditions/congestion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/message_of.h"

namespace gatherbench::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CongestionChoice, IsRanksAPatternAndASize) {
  EXPECT_EQ(parse_congestion("--congest", "").pattern, nullptr);
  const CongestionChoice choice = parse_congestion("--congest", "7,1:5:2:shift:1K");
  EXPECT_THAT(choice.ranks, ElementsAre(1, 3, 5, 7));
  EXPECT_EQ(choice.bytes, 1024);
  EXPECT_EQ(choice.label, "7,1:5:2:shift:1K");
}

TEST(CongestionChoice, OtherTextsAreRefused) {
  const auto refusal = [](std::string_view text) {
    return message_of([&] { parse_congestion("--congest", text); });
  };
  for (const char* const text :
       {"1:2", "incast:8", "1:2:incast", "1:2:storm:8", "1:2incast:8", "0:1:shift"}) {
    EXPECT_THAT(refusal(text), HasSubstr("is no pattern of ranks; legal: RANKS:incast:SIZE|"))
        << text;
  }
  EXPECT_THAT(refusal("1:incast:8"), HasSubstr("needs two ranks or more; legal: "));
  EXPECT_THAT(refusal("1,1:incast:8"), HasSubstr("--congest: '1' stands twice in the list"));
  EXPECT_THAT(refusal(":incast:8"), HasSubstr("--congest: '' is not a whole number"));
  EXPECT_THAT(refusal("0:2:incast:8"), HasSubstr("--congest: '0' is not between 1 and"));
  EXPECT_THAT(refusal("2:1:incast:8"), HasSubstr("--congest: '2:1"));
  EXPECT_THAT(refusal("1:2:incast:1T"), HasSubstr("has too large messages; legal: up to 64.0 MiB"));
  EXPECT_THAT(refusal("1:2:incast:"), HasSubstr("--congest: '' is not a size"));
  EXPECT_THAT(refusal("1:2:incast:8:9"), HasSubstr("--congest: '8:9' is not a size"));
}

}  // namespace
}  // namespace gatherbench::bench
