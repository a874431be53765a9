// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/topology_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/message_of.h"

namespace gatherbench::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<SwitchLine> lines(std::string_view text) { return parse_topology_file("t.conf", text); }

std::string error(std::string_view text) {
  return message_of([&] { lines(text); });
}

TEST(TopologyFile, ReadsSwitchesInTheOrderOfTheFile) {
  const auto two = lines("SwitchName=top Switches=s[0-1]\nSwitchName=s0 Nodes=h[1-2],x\n");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].name, "top");
  EXPECT_EQ(two[0].line, 1);
  EXPECT_THAT(two[0].hosts, IsEmpty());
  EXPECT_THAT(two[0].switches, ElementsAre("s0", "s1"));
  EXPECT_EQ(two[1].line, 2);
  EXPECT_THAT(two[1].hosts, ElementsAre("h1", "h2", "x"));
}

TEST(TopologyFile, TakesHostsAndSwitchesOnOneSwitch) {
  const auto one = lines("SwitchName=s Switches=t Nodes=h");
  EXPECT_THAT(one.at(0).hosts, ElementsAre("h"));
  EXPECT_THAT(one.at(0).switches, ElementsAre("t"));
}

TEST(TopologyFile, SkipsCommentsAndBlankLines) {
  const auto one = lines("# SwitchName=a \xc3\xa9 \\\n\n \t\r\nSwitchName=s Nodes=h0,h1# ,h2\r\n#");
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].line, 4);
  EXPECT_THAT(one[0].hosts, ElementsAre("h0", "h1"));
}

TEST(TopologyFile, ContinuesLinesThatEndInABackslash) {
  const auto two = lines(
      "SwitchName=s \\ # of the first rack\r\n  Nodes=h0,\\\nh1\nSwitchName=t \\\n Nodes=h2 \\");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_THAT(two[0].hosts, ElementsAre("h0", "h1"));
  EXPECT_EQ(two[1].line, 4);
  EXPECT_EQ(error("SwitchName=s \\\n Nodes=h \\\n Oops=1"),
            "t.conf:1: 'Oops' is no key; legal: SwitchName, Nodes, Switches, LinkSpeed, Level");
}

TEST(TopologyFile, TakesKeysInAnyCaseSpacesQuotesAndLinkSpeed) {
  const auto one = lines("\tswitchname = s  LINKSPEED=100 nodes= \"h0,h1\"  ");
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].name, "s");
  EXPECT_THAT(one[0].hosts, ElementsAre("h0", "h1"));
  EXPECT_EQ(one[0].link_speed, 100);
  EXPECT_EQ(lines("SwitchName=s Nodes=h LinkSpeed=0.25")[0].link_speed, 0.25);
  EXPECT_EQ(lines("SwitchName=s Nodes=h")[0].link_speed, 1);
}

TEST(TopologyFile, SaysWhatIsWrong) {
  EXPECT_EQ(error("SwitchName=s Node=h"),
            "t.conf:1: 'Node' is no key (did you mean 'Nodes'?); legal: SwitchName, Nodes, "
            "Switches, LinkSpeed, Level");
  EXPECT_EQ(error("SwitchName=s Nodes=a b"),
            "t.conf:1: 'b' is not KEY=VALUE; legal: SwitchName=NAME, then Nodes=HOSTS, "
            "Switches=NAMES or both; or BlockName=NAME Nodes=HOSTS, and BlockSizes=NUMBERS");
  EXPECT_THAT(error("digraph {"), HasSubstr("t.conf:1: 'digraph' is not KEY=VALUE"));
  EXPECT_EQ(error("Nodes=h SwitchName=s"),
            "t.conf:1: 'Nodes' is no key; legal: SwitchName, BlockName, AggregatedBlock, "
            "BlockSizes");
  EXPECT_EQ(error("SwitchName=s Nodes=h nodes=i"), "t.conf:1: Nodes= stands twice in the line");
  EXPECT_EQ(error("SwitchName= Nodes=h"), "t.conf:1: SwitchName= has no value");
  EXPECT_EQ(error("SwitchName=s Nodes=\"h0"), "t.conf:1: 'h0' has no closing quote");
  EXPECT_EQ(error("SwitchName=s[0-1] Nodes=h"),
            "t.conf:1: 's[0-1]' is not one name; a line is one switch");
  EXPECT_EQ(error("SwitchName=s Nodes=h LinkSpeed=0"),
            "t.conf:1: LinkSpeed: '0' is no speed; legal: more than 0, as a multiple of a host's "
            "link");
  EXPECT_THAT(error("SwitchName=s Nodes=h LinkSpeed=QDR"),
              HasSubstr("t.conf:1: LinkSpeed: 'QDR' "));
  EXPECT_THAT(error("RingName=r0 Nodes=h[0-3]"),
              HasSubstr("t.conf:1: a ring of topology/ring is no tree of switches; legal: "));
  EXPECT_EQ(error("SwitchName=s Nodes=h[0-"), "t.conf:1: 'h[0-' has a '[' without ']'");
  EXPECT_EQ(error("SwitchName=s Nodes=h\xc3\xa9"), "t.conf:1: byte 0xc3 is no printable ASCII");
}

TEST(TopologyFile, SaysWhatIsWrongWithBlocks) {
  EXPECT_EQ(error("BlockName=b Nodes=h[0-3] LinkSpeed=1"),
            "t.conf:1: 'LinkSpeed' is no key; legal: BlockName, Nodes, BlockIndex, BlockSize");
  EXPECT_EQ(error("BlockName=b Nodes=h\nBlockSizes=4,12"),
            "t.conf:2: BlockSizes: '12' is no block size; legal: 4 times a power of two, more than "
            "the one before");
  EXPECT_THAT(error("BlockSizes=4,4"), HasSubstr("'4' is no block size"));
  EXPECT_THAT(error("BlockSizes=0"), HasSubstr("t.conf:1: BlockSizes: '0'"));
  EXPECT_EQ(error("SwitchName=s Nodes=h\nBlockName=b Nodes=i"),
            "t.conf:2: a file is of switches or of blocks; SwitchName= stands in line 1");
}

TEST(TopologyFile, BoundsTheNamesOfAFile) {
  EXPECT_EQ(error("SwitchName=s Nodes=h[0-9999999999]"),
            "t.conf:1: 'h[0-9999999999]' is more than 1048576 names");
  EXPECT_EQ(error("SwitchName=s Nodes=h[1-1048576]\nSwitchName=t Nodes=x"),
            "t.conf:2: more than 1048576 hosts and switches in the lists up to here");
}

}  // namespace
}  // namespace gatherbench::topology
