// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/host_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/message_of.h"

namespace gatherbench::topology {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

std::vector<std::string> names(std::string_view list) { return expand_host_list("f:3", list); }

std::string error(std::string_view list) {
  return message_of([&] { expand_host_list("f:3", list); });
}

TEST(HostList, ExpandsInTheOrderOfTheList) {
  EXPECT_THAT(names("a"), ElementsAre("a"));
  EXPECT_THAT(names("b,a,b"), ElementsAre("b", "a", "b"));
  EXPECT_THAT(names("h[2-3,0],x9"), ElementsAre("h2", "h3", "h0", "x9"));
  EXPECT_THAT(names("tux[0-1].site,login-1"), ElementsAre("tux0.site", "tux1.site", "login-1"));
}

TEST(HostList, PadsToTheWidthOfTheFirstNumber) {
  EXPECT_THAT(names("n[008-010]"), ElementsAre("n008", "n009", "n010"));
  EXPECT_THAT(names("n[08-10,7]"), ElementsAre("n08", "n09", "n10", "n7"));
  EXPECT_THAT(names("n[9-11]"), ElementsAre("n9", "n10", "n11"));
  EXPECT_THAT(names("n[99-101]"), ElementsAre("n99", "n100", "n101"));
}

TEST(HostList, TheLastOfSeveralBracketsRunsFastest) {
  EXPECT_THAT(names("r[0-1]_n[1-2]"), ElementsAre("r0_n1", "r0_n2", "r1_n1", "r1_n2"));
  EXPECT_THAT(names("[0-1][5,7]x"), ElementsAre("05x", "07x", "15x", "17x"));
}

TEST(HostList, AFileHasAListALine) {
  EXPECT_THAT(parse_host_file("f", "# all\n n[1-2],x \r\n\nn0 # last\n"),
              ElementsAre("n1", "n2", "x", "n0"));
  EXPECT_EQ(message_of([] { parse_host_file("f", "a\nn[2-1]\n"); }),
            "f:2: '2-1' is a range that runs backwards");
  EXPECT_EQ(message_of([] { parse_host_file("f", "\n# none\n"); }),
            "f: the file names no host; legal: a line a host, or lists such as n[0-15]");
  EXPECT_EQ(message_of([] { parse_host_file("f", "n[1-1048576]\na"); }),
            "f:2: 'a' is more than 1048576 names");
}

TEST(HostList, SaysWhatIsWrong) {
  EXPECT_EQ(error(""), "f:3: the list has an empty name");
  EXPECT_EQ(error("a,,b"), "f:3: the list has an empty name");
  EXPECT_EQ(error("a,"), "f:3: the list has an empty name");
  EXPECT_EQ(error("x,h[0-3"), "f:3: 'h[0-3' has a '[' without ']'");
  EXPECT_EQ(error("h0]"), "f:3: 'h0]' has a ']', which no name has");
  EXPECT_EQ(error("a=b"), "f:3: 'a=b' has a '=', which no name has");
  EXPECT_EQ(error("a b"), "f:3: 'a b' has a ' ', which no name has");
  EXPECT_EQ(error("h[3-1]"), "f:3: '3-1' is a range that runs backwards");
  for (const std::string range : {"", "a", "1-", "-1", "1-2-3", "1 ", "0x1", "+1"}) {
    EXPECT_EQ(error("h[" + range + "]"),
              "f:3: '" + range + "' in brackets is neither a number nor a range such as 0-7");
  }
}

TEST(HostList, EndsAtAMillionNames) {
  EXPECT_THAT(names("h[1-1048576]"), SizeIs(1048576));
  EXPECT_EQ(error("h[0-1048576]"), "f:3: 'h[0-1048576]' is more than 1048576 names");
  EXPECT_EQ(error("x,h[1-1048576]"), "f:3: 'h[1-1048576]' is more than 1048576 names");
  const std::string product = "h[0-1023][0-1023][0-1]";
  EXPECT_EQ(error(product), "f:3: '" + product + "' is more than 1048576 names");
  EXPECT_EQ(error("h[0-9223372036854775806]"),
            "f:3: 'h[0-9223372036854775806]' is more than 1048576 names");
  EXPECT_EQ(error("h[0-9223372036854775808]"),
            "f:3: '9223372036854775808' is not between 0 and 9223372036854775806");
}

TEST(HostList, BoundsTheLengthOfAName) {
  const std::string longest(255, 'n');
  EXPECT_THAT(names(longest), SizeIs(1));
  EXPECT_EQ(error(longest + "n"), "f:3: '" + longest + "n' has more than 255 characters");
  EXPECT_EQ(error(longest + "[0-9]"), "f:3: '" + longest + "[0-9]' has more than 255 characters");
  const std::string zeros(300, '0');
  EXPECT_EQ(error("n[" + zeros + "]"), "f:3: '" + zeros + "' has more than 255 characters");
}

}  // namespace
}  // namespace gatherbench::topology
