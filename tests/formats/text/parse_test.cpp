// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/message_of.h"

namespace gatherbench::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseBytes, TakesUnitsOf1024) {
  EXPECT_EQ(parse_bytes("-m", "1"), 1);
  EXPECT_EQ(parse_bytes("-m", "64k"), 65536);
  EXPECT_EQ(parse_bytes("-m", "64K"), 65536);
  EXPECT_EQ(parse_bytes("-m", "64KiB"), 65536);
  EXPECT_EQ(parse_bytes("-m", "7B"), 7);
  EXPECT_EQ(parse_bytes("-m", "3G"), std::int64_t{3} << 30);
  EXPECT_EQ(parse_bytes("-m", "9223372036854775807"), std::numeric_limits<std::int64_t>::max());
}

TEST(ParseBytes, SaysWhatIsWrong) {
  const auto message = [](const char* text) {
    return message_of([text] { parse_bytes("--sizes", text); });
  };
  EXPECT_THAT(message("0"), HasSubstr("--sizes: '0' is 0"));
  EXPECT_THAT(message("-4"), HasSubstr("'-4' is negative"));
  EXPECT_THAT(message("4x"), HasSubstr("'4x' is not a size"));
  EXPECT_THAT(message(""), HasSubstr("'' is not a size"));
  EXPECT_THAT(message("K"), HasSubstr("'K' is not a size"));
  EXPECT_THAT(message("1.5K"), HasSubstr("is not a size"));
  EXPECT_THAT(message("9223372036854775808"), HasSubstr("more than 2^63"));
  EXPECT_THAT(message("8388608T"), HasSubstr("more than 2^63"));
}

TEST(ParseBytesRange, DoublesFromTheFirst) {
  EXPECT_THAT(parse_bytes_range("-m", "8", 64), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(parse_bytes_range("-m", "3:20", 64), ElementsAre(3, 6, 12));
  EXPECT_THAT(parse_bytes_range("-m", "16:", 64), ElementsAre(16, 32, 64));
  EXPECT_THAT(parse_bytes_range("-m", "4611686018427387904:9223372036854775807", 64),
              ElementsAre(std::int64_t{1} << 62));
  EXPECT_THAT(parse_bytes_range("-m", "64", 64, 12), ElementsAre(12, 24, 48));
  EXPECT_THAT(parse_bytes_range("-m", "4:16", 64, 12), ElementsAre(4, 8, 16));
  EXPECT_THAT(message_of([] { parse_bytes_range("-m", "8:4", 64); }), HasSubstr("reversed"));
  EXPECT_THAT(message_of([] { parse_bytes_range("-m", "4", 64, 8); }),
              HasSubstr("-m: '4' is less than MIN, which is 8 if it is not given"));
  EXPECT_THAT(message_of([] { parse_bytes_range("-m", "", 64); }), HasSubstr("is not a size"));
  EXPECT_THAT(message_of([] { parse_bytes_range("-m", "1:2:3", 64); }), HasSubstr("[MIN:]MAX"));
}

TEST(ParseBytesList, KeepsTheOrderAndRefusesDoubles) {
  EXPECT_THAT(parse_bytes_list("--sizes", "1K,64,1M"), ElementsAre(1024, 64, 1048576));
  EXPECT_THAT(message_of([] { parse_bytes_list("--sizes", "1K,1024"); }), HasSubstr("twice"));
  EXPECT_THAT(message_of([] { parse_bytes_list("--sizes", "1,,2"); }), HasSubstr("''"));
}

TEST(ParseDuration, TakesUnits) {
  EXPECT_DOUBLE_EQ(parse_duration("--timeout", "250ms"), 0.25);
  EXPECT_DOUBLE_EQ(parse_duration("--timeout", "1.5m"), 90);
  EXPECT_DOUBLE_EQ(parse_duration("--timeout", "2s"), 2);
  EXPECT_EQ(parse_duration("--timeout", "300ms"), 0.3);  // as close as it gets, not only about
  EXPECT_EQ(microseconds_in("min"), 60e6);
  EXPECT_FALSE(microseconds_in(""));
  EXPECT_THAT(message_of([] { parse_duration("--timeout", "2 parsec"); }), HasSubstr("legal"));
  EXPECT_EQ(message_of([] { parse_duration("--max-time", "500"); }),
            "--max-time: '500' has no unit of time; legal: 500us, 500ms, 500s, 500m, 500h");
  EXPECT_THAT(message_of([] { parse_duration("--timeout", "0s"); }), HasSubstr("is 0"));
  EXPECT_THAT(message_of([] { parse_duration("--timeout", "-1s"); }), HasSubstr("negative"));
  EXPECT_THAT(message_of([] { parse_duration("--timeout", "inf"); }), HasSubstr("not a number"));
  EXPECT_EQ(parse_duration("--timeout", "1e9s"), 1e9);
  EXPECT_EQ(message_of([] { parse_duration("--compute", "1e300h"); }),
            "--compute: '1e300h' is more than 1e9s; legal: up to 1e9s");
}

TEST(ParseFraction, TakesPercent) {
  EXPECT_DOUBLE_EQ(parse_fraction("--precision", "5%"), 0.05);
  EXPECT_DOUBLE_EQ(parse_fraction("--precision", "0.05"), 0.05);
  for (const char* const text : {"0", "100%", "1", "5 %", "five"}) {
    EXPECT_NE(message_of([text] { parse_fraction("--precision", text); }), "no error") << text;
  }
}

TEST(ParseRanks, TakesListsAndProgressions) {
  EXPECT_THAT(parse_ranks("--ranks", "2,4:6", 300), ElementsAre(2, 4, 5, 6));
  EXPECT_THAT(parse_ranks("--ranks", "5:253:124", 300), ElementsAre(5, 129, 253));
  EXPECT_THAT(message_of([] { parse_ranks("--ranks", "1:2:3:4", 300); }),
              HasSubstr("'1:2:3:4' is not of the form MIN:MAX:STEP"));
  EXPECT_THAT(parse_ranks("--ranks", "8,2,4:6:2", 300), ElementsAre(8, 2, 4, 6));
  EXPECT_EQ(parse_ranks("--ranks", "2147483646:2147483647:2", 2147483647).size(), 1U);
  EXPECT_EQ(message_of([] { parse_ranks("--ranks", "2,4,2", 300); }),
            "--ranks: '2' stands twice in the list");
  for (const char* const text : {"1:4,2", "2,1:4", "1:16,8:256:8", "4,2,3,3"}) {
    EXPECT_THAT(message_of([text] { parse_ranks("--nodes", text, 300); }),
                HasSubstr("stands twice in the list"))
        << text;
  }
  for (const char* const text : {"", "0", "6:4", "1:2:3:4", "1:4:0", "a", "301"}) {
    EXPECT_NE(message_of([text] { parse_ranks("--ranks", text, 300); }), "no error") << text;
  }
}

TEST(UnknownName, NamesTheNearestAndAllLegal) {
  const std::array<std::string_view, 3> legal{"ring", "sparbit", "bruck"};
  EXPECT_STREQ(unknown_name("--algorithms", "algorithm", "sparbti", legal).what(),
               "--algorithms: 'sparbti' is no algorithm (did you mean 'sparbit'?); legal: ring, "
               "sparbit, bruck");
  EXPECT_THAT(unknown_name("--algorithms", "algorithm", "xyz", legal).what(),
              testing::Not(HasSubstr("did you mean")));
  EXPECT_STREQ(unknown_name("--algorithms", "algorithm", "sparbti", legal, "--list").what(),
               "--algorithms: 'sparbti' is no algorithm (did you mean 'sparbit'?); legal: the 3 "
               "of --list");
  EXPECT_THAT(unknown_name("--algorithms", "algorithm", "xyz", legal, "--list").what(),
              HasSubstr("legal: ring, sparbit, bruck"));
}

}  // namespace
}  // namespace gatherbench::text
