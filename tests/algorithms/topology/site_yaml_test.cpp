// SPDX-License-Identifier: BSD-3-Clause
// Slurm's topology.yaml in the styles of public repositories and of its manual, with other names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/topology/switch_tree.h"
#include "tests/message_of.h"

namespace gatherbench::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Hosts = std::vector<std::string>;

SwitchTree parse(std::string_view text, const Hosts& hosts = {}) {
  return SwitchTree::parse("t.yaml", text, hosts);
}

/// "top: x, s0: a b".
std::string read(std::string_view text, const Hosts& hosts = {}) {
  const SwitchTree tree = parse(text, hosts);
  std::string all;
  for (int id = 0; id < tree.switches(); ++id) {
    all += (id == 0 ? "" : ", ") + tree.switch_name(id) + ":";
    for (const int host : tree.hosts_on(id)) all += " " + tree.host_name(host);
  }
  return all;
}

std::string error(std::string_view text, const Hosts& hosts = {}) {
  return message_of([&] { parse(text, hosts); });
}

// The manual's, whose lists are as far left as their keys.
constexpr std::string_view manual = R"(- topology: topo1
  cluster_default: True
  tree:
    switches:
    - switch: sw_root
      children: s[1-2]
    - switch: s1
      nodes: node[01-02]
    - switch: s2
      nodes: node[03-04]
- topology: topo2
  cluster_default: False
  block:
    block_sizes:
      - 1
      - 2
    blocks:
    - block: b1
      nodes: node05
    - block: b2
      nodes: node06
- topology: topo3
  cluster_default: False
  flat: True
)";

TEST(SiteYaml, TakesTheDefaultOrWhatHasTheHosts) {
  const SwitchTree tree = parse(manual);
  EXPECT_EQ(read(manual), "sw_root:, s1: node01 node02, s2: node03 node04");
  EXPECT_THAT(tree.notes(), ElementsAre("of 3 topologies in the file, 'topo1' counts"));
  EXPECT_EQ(read(manual, {"node04"}), "sw_root:, s1: node01 node02, s2: node03 node04");
  EXPECT_EQ(read(manual, {"node06"}), "b1..b2:, b1: node05, b2: node06");
  EXPECT_EQ(read(manual, {"node01", "node05"}), "topo3: node01 node05");
}

// SlinkyProject, soperator and cluster-toolkit: a document mark, comments, quotes, deeper lists.
TEST(SiteYaml, Styles) {
  const std::string expected = "root:, l1: a1 a2, l2: b1";
  EXPECT_EQ(read("# managed\n---\n\n- topology: \"topology/tree\"\r\n  cluster_default: yes # it "
                 "is\r\n  tree:\r\n    switches:\r\n        - switch: root\r\n          children: "
                 "l1,l2\r\n        - switch: 'l1'\r\n          nodes: \"a[1-2]\"\r\n        - "
                 "nodes: b1\r\n          switch: l2\r\n...\n"),
            expected);
  EXPECT_EQ(read("-\n  topology: t\n  tree:\n    switches:\n      - {switch: root, children: "
                 "l[1-2]}\n      - {switch: l1, nodes: [a1, a2]}\n      - {switch: l2, nodes: "
                 "\"b1\"}\n"),
            expected);
  EXPECT_EQ(
      read("topology: t\ntree:\n  switches:\n  - switch: root\n    children:\n    - l1\n    - "
           "l2\n  - switch: l1\n    nodes: a[1-2]\n  - switch: l2\n    nodes: b1\n"),
      expected);
  EXPECT_EQ(read("\xef\xbb\xbf- topology: t\n  tree:\n    switches:\n    - switch: s\n      nodes: "
                 "ALL\n    - switch: spare\n      nodes:\n",
                 {"h"}),
            "s: h");
  EXPECT_EQ(
      read("- topology: t\n  tree:\n    switches:\n    - switch: root\n      children: l[1-2]\n"
           "      nodes: ~\n    - switch: l1\n      children: Null\n      nodes:\n        "
           "\"a[1-2]\"\n    - switch: l2\n      nodes: b1\n"),
      expected);
  EXPECT_EQ(read("- topology: t\n  flat:\n    alpha_step_rank: true\n", {"x", "y"}), "t: x y");
  EXPECT_EQ(read("- topology: t\n  block:\n    block_sizes: [2, 4]\n    blocks: [{block: b, nodes: "
                 "n[1-2]}]\n"),
            "b: n1 n2");
}

// The text is as programs that generate such files may write them: YAML takes JSON.
TEST(SiteYaml, BracketsOfSeveralLines) {
  const std::string expected = "root:, l1: a1 a2, l2: b1";
  EXPECT_EQ(
      read(
          "[\n\t{\"topology\": \"t\", \"cluster_default\": true,\n\t\"tree\": {\n\t\t\"switches\": "
          "[\n{\"switch\":\"root\",\"children\":\"l[1-2]\"},\n{\"switch\":\"l1\",\"children\":null,"
          "\"nodes\":[\"a1\",\n\"a2\"]},\n{\"switch\":\"l2\",\"nodes\":\"b1\"}\n]}}\n]\n"),
      expected);
  EXPECT_EQ(
      read("- topology: t\n  tree:\n    switches: [\n      {switch: root, children: [l1, # left\n"
           "        l2]},\n      {switch: l1, nodes: 'a[1-2]'},\n      {switch: l2,\n       nodes: "
           "b1}]\n"),
      expected);
  EXPECT_EQ(error("- topology: t\n  tree:\n    switches: [\n      {switch: s, nodes: a},\n"
                  "      {switch: s2, hosts: b}]\n"),
            "t.yaml:5: 'hosts' is no key; legal: switch, children, nodes");
}

TEST(SiteYaml, SaysWhatCannotBeUsed) {
  EXPECT_EQ(error("- topology: t\n  torus3d:\n    toruses: []\n"),
            "t.yaml:2: 'torus3d' is no tree of switches; legal: tree, block, flat");
  EXPECT_EQ(read("- topology: t\n  cluster_default: true\n  ring:\n    rings: []\n- topology: u\n  "
                 "tree:\n    switches: [{switch: s, nodes: a}]\n",
                 {"a"}),
            "s: a");
  EXPECT_EQ(error("- topology: t\n  tree:\n    switches: []\n"),
            "t.yaml:1: topology 't' has no switch; legal: tree, block, flat with one");
  EXPECT_EQ(error("- topology: t\n  tree:\n    switch: s\n"),
            "t.yaml:3: 'switch' is no key (did you mean 'switches'?); legal: switches");
  EXPECT_EQ(error("- topology: t\n  cluster_default: maybe\n  flat: true\n"),
            "t.yaml:2: cluster_default: 'maybe' is neither true nor false");
  EXPECT_EQ(error("- cluster_default: true\n"), "t.yaml:1: has no 'topology'");
  EXPECT_THAT(error("- topology: t\n  block:\n    block_sizes: [4, 5]\n    blocks: []\n"),
              HasSubstr("t.yaml:3: block_sizes: '5' is no block size"));
  EXPECT_THAT(
      error("- topology: t\n  tree:\n    switches:\n      - switch: s\n        nodes: n[1-\n"),
      HasSubstr("t.yaml:4: 'n[1-' has a '[' without ']'"));
  EXPECT_THAT(error("- topology: t\n  flat: true\n"), HasSubstr("t.yaml:2: switch 't' has all"));
  EXPECT_THAT(error("- a\n"), HasSubstr("t.yaml:1: is no list of values with keys"));
}

}  // namespace
}  // namespace gatherbench::topology
