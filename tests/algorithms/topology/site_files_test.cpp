// SPDX-License-Identifier: BSD-3-Clause
// Topology files in the styles of public repositories and of Slurm's manual, with other names.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/topology/switch_tree.h"
#include "tests/message_of.h"

namespace gatherbench::topology {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Hosts = std::vector<std::string>;

/// "top: x, s0 below top: a b".
std::string describe(const SwitchTree& tree) {
  std::string text;
  for (int id = 0; id < tree.switches(); ++id) {
    text += (id == 0 ? "" : ", ") + tree.switch_name(id);
    if (id > 0) text += " below " + tree.switch_name(tree.parent(id));
    if (id > 0 && tree.uplink_speed(id) != 1) text += fmt::format(" x{}", tree.uplink_speed(id));
    text += ":";
    for (const int host : tree.hosts_on(id)) text += " " + tree.host_name(host);
  }
  return text;
}

SwitchTree parse(std::string_view text, const Hosts& hosts = {}) {
  return SwitchTree::parse("t.conf", text, hosts);
}

std::string read(std::string_view text, const Hosts& hosts = {}) {
  return describe(parse(text, hosts));
}

std::string error(std::string_view text, const Hosts& hosts = {}) {
  return message_of([&] { parse(text, hosts); });
}

// maatthias/slurm-cluster, tonystarkiss/slurm-superpod: leaves without a switch above them.
constexpr std::string_view islands =
    "SwitchName=s0 Nodes=rack1,rack2\n"
    "SwitchName=s1 Nodes=far[1-3]\n"
    "SwitchName=s2 Nodes=lone\n";

TEST(SiteFiles, OfSeveralTreesThatOfTheHostsCounts) {
  const SwitchTree tree = parse(islands, {"rack2", "rack1"});
  EXPECT_EQ(describe(tree), "s0: rack1 rack2");
  EXPECT_THAT(tree.notes(),
              ElementsAre("no switch joins all of t.conf: only the 2 hosts below 's0' (line 1) "
                          "count"));
  EXPECT_EQ(read(islands, {"lone"}), "s2: lone");
  EXPECT_EQ(read(islands), "s1: far1 far2 far3") << "the most";
  EXPECT_EQ(read(islands, {"elsewhere"}), "s1: far1 far2 far3");
  EXPECT_EQ(error(islands, {"rack1", "lone"}),
            "t.conf:3: no switch joins 's0' (line 1), which host 'rack1' is below, and 's2', which "
            "host 'lone' is below; legal: hosts below one switch, or a line such as SwitchName=top "
            "Switches=s0,s2");
}

// nebius/soperator: a root for each fabric, and one for what no fabric has.
TEST(SiteFiles, RootsOfFabrics) {
  constexpr std::string_view text =
      "SwitchName=fabric1 Switches=leaf1,leaf1\n"
      "SwitchName=fabric2 Switches=leaf2\n"
      "SwitchName=leaf1 Nodes=w[0-1]\n"
      "SwitchName=leaf2 Nodes=w[2-3]\n"
      "SwitchName=unknown Nodes=w4\n";
  EXPECT_EQ(read(text, {"w3"}), "fabric2:, leaf2 below fabric2: w2 w3");
}

// NVIDIA/topograph: switches before what is below them, comments with other names.
TEST(SiteFiles, CommentsBetweenLines) {
  EXPECT_EQ(read("# core=c-01\nSwitchName=core Switches=tor[1-2]\n# tor1=x\nSwitchName=tor1 "
                 "Nodes=n[11-12]\nSwitchName=no-topology Nodes=n31\nSwitchName=tor2 Nodes=n21\n",
                 {"n11"}),
            "core:, tor1 below core: n11 n12, tor2 below core: n21");
}

// "scontrol show topology", as in facebookresearch/gcm and PySlurm; nebius has Nodes= of upper
// switches first, HPC simulators leave them out.
TEST(SiteFiles, ReadsWhatScontrolPrints) {
  const std::string expected = "s2:, s0 below s2: t0 t1, s1 below s2: t2 t3";
  EXPECT_EQ(read("SwitchName=s0 Level=0 LinkSpeed=1 Nodes=t[0-1]\n"
                 "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=t[2-3]\n"
                 "SwitchName=s2 Level=1 LinkSpeed=1 Nodes=t[0-3] Switches=s[0-1]\n"),
            expected);
  EXPECT_EQ(read("SwitchName=s2 Level=1 Switches=s[0-1] Nodes=t[0-3]\n"
                 "SwitchName=s0 Level=0 Nodes=t[0-1]\nSwitchName=s1 Level=0 Nodes=t[2-3]\n"),
            expected);
  EXPECT_EQ(read("SwitchName=s2 Level=1 LinkSpeed=1 Switches=s[0-1]\n"
                 "SwitchName=s0 Level=0 Nodes=t[0-1] Switches=(null)\n"
                 "SwitchName=s1 Level=0 Nodes=t[2-3]\n"),
            expected);
  EXPECT_EQ(read("SwitchName=top Level=2 Nodes=t[0-3] Switches=mid\n"
                 "SwitchName=mid Level=1 Nodes=t[0-3] Switches=s\n"
                 "SwitchName=s Level=0 Nodes=t[0-2]\n"
                 "SwitchName=spare Level=0 Nodes= Switches=\n"),
            "top:, mid below top: t3, s below mid: t0 t1 t2");
  EXPECT_THAT(error("SwitchName=s2 Level=1 Nodes=t[0-3] Switches=s[0-1]"),
              HasSubstr("legal: a line for each switch"))
      << "one switch alone was asked for";
}

// Slurm's topology guide, and many on fat trees: each spine is above each leaf.
TEST(SiteFiles, ParallelSwitchesCountAsOne) {
  const SwitchTree tree = parse(
      "SwitchName=s0 Nodes=t[0-1]\nSwitchName=s1 Nodes=t[2-3] LinkSpeed=0.5\n"
      "SwitchName=s4 Switches=s[0-1]\nSwitchName=s5 Switches=s[0-1]\nSwitchName=s6 "
      "Switches=s[0-1]\n");
  EXPECT_EQ(describe(tree), "s4:, s0 below s4 x3: t0 t1, s1 below s4 x1.5: t2 t3");
  EXPECT_THAT(tree.notes(), ElementsAre("switches above the same switch or host count as one: 's5' "
                                        "as 's4', 's6' as 's4'"));
  // Planes of a larger one: what is above the spines is parallel, too.
  EXPECT_EQ(read("SwitchName=c1 Switches=a1\nSwitchName=c2 Switches=a2\n"
                 "SwitchName=a1 Switches=l[1-2]\nSwitchName=a2 Switches=l[1-2]\n"
                 "SwitchName=l1 Nodes=n1\nSwitchName=l2 Nodes=n2\n"),
            "c1:, a1 below c1 x2:, l1 below a1 x2: n1, l2 below a1 x2: n2");
  // Two rails: each host is on two leaves.
  EXPECT_EQ(read("SwitchName=rail1 Nodes=n[1-2]\nSwitchName=rail2 Nodes=n[1-3]\n"
                 "SwitchName=top Switches=rail[1-2]\n"),
            "top:, rail1 below top x2: n1 n2 n3");
  EXPECT_EQ(error("SwitchName=a Switches=b,c\nSwitchName=b Switches=c\nSwitchName=c Nodes=h"),
            "t.conf:2: switches 'b' and 'a' (line 1) are above the same switch or host, and one is "
            "below the other; legal: leave it out of the Switches= or Nodes= of the upper one");
}

// saltstack and ansible roles that make the file from an inventory.
TEST(SiteFiles, LeavesWithoutHosts) {
  EXPECT_EQ(read("SwitchName=spare\nSwitchName=s0 Nodes=n[1-2],n1\nSwitchName=t "
                 "Switches=s0,spare,s0\n"),
            "t:, s0 below t: n1 n2, spare below t:");
}

TEST(SiteFiles, AllHosts) {
  EXPECT_EQ(read("SwitchName=s0 Nodes=ALL\n", {"b", "a", "b"}), "s0: b a");
  EXPECT_EQ(read("SwitchName=t Switches=s Nodes=all\nSwitchName=s Nodes=a\n", {"b", "a"}),
            "t: b, s below t: a");
  EXPECT_EQ(
      error("SwitchName=s0 Nodes=ALL\n"),
      "t.conf:1: switch 's0' has all hosts, whose names are not known here; legal: a list such "
      "as n[0-15], real hosts, or --hosts of allgather_schedule");
}

// Puppet and monitoring projects have 100Mb/s or 100G; the manual leaves the unit open.
TEST(SiteFiles, SpeedsWithAUnitAreNotUsed) {
  const SwitchTree tree =
      parse("SwitchName=s LinkSpeed=100Mb/s Nodes=n[1-2]\nSwitchName=t Switches=s LinkSpeed=9G");
  EXPECT_EQ(describe(tree), "t:, s below t: n1 n2");
  EXPECT_THAT(tree.notes(), Contains(HasSubstr("LinkSpeed=100Mb/s is not used")));
  EXPECT_THAT(
      parse("SwitchName=s LinkSpeed=900 Nodes=n\nSwitchName=t Switches=s").notes(),
      ElementsAre("LinkSpeed=900 is taken for a multiple of a host's link; Slurm leaves its "
                  "unit open"));
  EXPECT_THAT(parse("SwitchName=s LinkSpeed=1 Nodes=n").notes(), IsEmpty());
}

TEST(SiteFiles, EndsOfLinesAndMarks) {
  EXPECT_EQ(read("\xef\xbb\xbfSwitchName=s Nodes=n[1-2]\r\n\r\n# \xc3\xa9\r\n"), "s: n1 n2");
  EXPECT_EQ(read("SWITCHNAME=\"s\"\tnodes=\"r[0-1]n[8-9].x,login\" \\\n  linkspeed=1"),
            "s: r0n8.x r0n9.x r1n8.x r1n9.x login");
}

// Slurm's manual, NVIDIA/topograph, SchedMD's own tests (indented).
TEST(SiteFiles, Blocks) {
  EXPECT_EQ(read("   BlockName=b1 Nodes=n[1-2]\n   BlockName=b2 Nodes=n[3-4]\n   BlockSizes=2\n"),
            "(blocks):, b1 below (blocks): n1 n2, b2 below (blocks): n3 n4");
  EXPECT_EQ(read("BlockName=b1 Nodes=n1\n"), "b1: n1");
  EXPECT_THAT(parse("BlockName=b1 Nodes=n1\nBlockName=b2 Nodes=n2\n").notes(),
              ElementsAre("the blocks count as below one switch, '(blocks)'"));
  EXPECT_EQ(
      read("BlockSizes=1,2,4\nBlockName=a Nodes=n1\nBlockName=b Nodes=n2\nBlockName=c "
           "Nodes=n3\nBlockName=d Nodes=n4\nBlockName=e Nodes=n5"),
      "(blocks):, a..d below (blocks):, a..b below a..d:, a below a..b: n1, b below a..b: n2, "
      "c..d below a..d:, c below c..d: n3, d below c..d: n4, e below (blocks): n5");
}

// "scontrol show topology" of topology/block.
TEST(SiteFiles, BlocksOfScontrol) {
  EXPECT_EQ(read("BlockName=a BlockIndex=0 Nodes=n[1-2] BlockSize=2\n"
                 "BlockName=b BlockIndex=1 Nodes=n[3-4] BlockSize=2\n"
                 "BlockName=c BlockIndex=2 Nodes=n[5-6] BlockSize=2\n"
                 "AggregatedBlock=a,b BlockIndex=3 Nodes=n[1-4] BlockSize=4\n"),
            "(blocks):, a..b below (blocks):, a below a..b: n1 n2, b below a..b: n3 n4, c below "
            "(blocks): n5 n6");
}

TEST(SiteFiles, NamesWithAndWithoutDomain) {
  const SwitchTree tree = parse("SwitchName=s Nodes=Vm1.x.org,vm2");
  EXPECT_EQ(tree.find_host("vm1"), 0);
  EXPECT_EQ(tree.find_host("vm1.x.ORG"), 0);
  EXPECT_EQ(tree.find_host("vm1.y.org"), std::nullopt);
  EXPECT_EQ(tree.find_host("vm2.x.org"), 1);
  EXPECT_EQ(parse("SwitchName=s Nodes=vm.a,vm.b").find_host("vm"), std::nullopt) << "which one?";
}

}  // namespace
}  // namespace gatherbench::topology
