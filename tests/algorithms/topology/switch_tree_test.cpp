// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/switch_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "tests/algorithms/topology/random_trees.h"
#include "tests/message_of.h"

namespace gatherbench::topology {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

SwitchTree tree_of(std::string_view text) { return SwitchTree::parse("t.conf", text); }

std::string error(std::string_view text) {
  return message_of([&] { tree_of(text); });
}

//   top: x
//   +- s1: c d
//   |  +- s2: e
//   +- s0: a b
constexpr std::string_view four_switches =
    "SwitchName=s0 Nodes=a,b\n"
    "SwitchName=s2 Nodes=e\n"
    "SwitchName=top Switches=s[1,0] Nodes=x\n"
    "SwitchName=s1 Switches=s2 Nodes=c,d\n";

int host(const SwitchTree& tree, std::string_view name) { return tree.find_host(name).value(); }

std::vector<std::string> path(const SwitchTree& tree, std::string_view from, std::string_view to) {
  std::vector<std::string> links;
  std::vector<int> ids;
  tree.add_links(host(tree, from), host(tree, to), ids);
  for (const int link : ids) {
    const auto [begin, end] = tree.link_ends(link);
    links.push_back(fmt::format("{}-{}", begin, end));
  }
  return links;
}

TEST(SwitchTree, NumbersDepthFirstInTheOrderOfTheLists) {
  const SwitchTree tree = tree_of(four_switches);
  ASSERT_EQ(tree.switches(), 4);
  ASSERT_EQ(tree.hosts(), 6);
  std::vector<std::string> names;
  for (int id = 0; id < tree.switches(); ++id) names.push_back(tree.switch_name(id));
  EXPECT_THAT(names, ElementsAre("top", "s1", "s2", "s0"));
  names.clear();
  for (int each = 0; each < tree.hosts(); ++each) names.push_back(tree.host_name(each));
  EXPECT_THAT(names, ElementsAre("x", "c", "d", "e", "a", "b"));
}

TEST(SwitchTree, KnowsWhatIsWhere) {
  const SwitchTree tree = tree_of(four_switches);
  EXPECT_EQ(SwitchTree::root, 0);
  EXPECT_EQ(tree.parent(0), -1);
  EXPECT_EQ(tree.parent(1), 0);
  EXPECT_EQ(tree.parent(2), 1);
  EXPECT_EQ(tree.parent(3), 0);
  EXPECT_THAT(tree.children(0), ElementsAre(1, 3));
  EXPECT_THAT(tree.children(1), ElementsAre(2));
  EXPECT_THAT(tree.children(3), IsEmpty());
  EXPECT_EQ(tree.switch_of(host(tree, "d")), 1);
  EXPECT_THAT(tree.hosts_on(1), ElementsAre(1, 2));
  EXPECT_THAT(tree.hosts_on(3), ElementsAre(4, 5));
  EXPECT_EQ(tree.find_host("nobody"), std::nullopt);
  EXPECT_EQ(tree.find_host("top"), std::nullopt);
}

TEST(SwitchTree, CountsTheSwitchesOfAPath) {
  const SwitchTree tree = tree_of(four_switches);
  const auto length = [&](std::string_view from, std::string_view to) {
    return tree.path_length(host(tree, from), host(tree, to));
  };
  EXPECT_EQ(length("a", "a"), 0);
  EXPECT_EQ(length("a", "b"), 1);
  EXPECT_EQ(length("x", "a"), 2);
  EXPECT_EQ(length("e", "c"), 2);
  EXPECT_EQ(length("a", "e"), 4);
  EXPECT_EQ(length("e", "a"), 4);
}

TEST(SwitchTree, VisitsTheLinksOfAPath) {
  const SwitchTree tree = tree_of(four_switches);
  EXPECT_THAT(path(tree, "a", "a"), IsEmpty());
  EXPECT_THAT(path(tree, "c", "d"), UnorderedElementsAre("c-s1", "s1-d"));
  EXPECT_THAT(path(tree, "e", "a"),
              UnorderedElementsAre("e-s2", "s2-s1", "s1-top", "top-s0", "s0-a"));
  EXPECT_THAT(path(tree, "x", "e"), UnorderedElementsAre("x-top", "top-s1", "s1-s2", "s2-e"));
}

TEST(SwitchTree, LinksAreDenseAndTwoAnEdge) {
  const SwitchTree tree = tree_of(four_switches);
  ASSERT_EQ(tree.links(), 2 * (6 + 3));
  std::set<std::pair<std::string_view, std::string_view>> all;
  for (int link = 0; link < tree.links(); ++link) {
    const auto [from, to] = tree.link_ends(link);
    all.emplace(from, to);
  }
  EXPECT_EQ(all.size(), 18U);
  for (const auto& [from, to] : all) EXPECT_TRUE(all.contains({to, from})) << from << to;
}

TEST(SwitchTree, OneSwitchWithOneHost) {
  const SwitchTree tree = tree_of("SwitchName=s Nodes=h");
  EXPECT_EQ(tree.links(), 2);
  EXPECT_EQ(tree.path_length(0, 0), 0);
}

// A random tree's paths are walks over its links, as far as the switches' parents say.
TEST(SwitchTree, PathsOfRandomTreesAreWalks) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const SwitchTree tree = random_tree(random, 1 + i % 20, 1 + i % 33);
    ASSERT_EQ(tree.switches(), 1 + i % 20);
    ASSERT_EQ(tree.hosts(), 1 + i % 33);
    for (int id = 1; id < tree.switches(); ++id) ASSERT_LT(tree.parent(id), id);
    const int from = static_cast<int>(draw(random, static_cast<std::size_t>(tree.hosts())));
    const int to = static_cast<int>(draw(random, static_cast<std::size_t>(tree.hosts())));
    std::map<std::string_view, std::string_view> next;
    std::vector<int> links;
    tree.add_links(from, to, links);
    for (const int link : links) {
      const auto [begin, end] = tree.link_ends(link);
      EXPECT_TRUE(next.emplace(begin, end).second) << "leaves a node twice";
    }
    std::string_view at = tree.host_name(from);
    for (std::size_t step = 0; step < next.size(); ++step) {
      ASSERT_TRUE(next.contains(at));
      at = next[at];
    }
    EXPECT_EQ(at, tree.host_name(to));
    EXPECT_EQ(tree.path_length(from, to), std::max(0, static_cast<int>(next.size()) - 1));
  }
}

TEST(SwitchTree, DeepTreesNeedNoStack) {
  std::string text = "SwitchName=s0 Nodes=h0,h1\n";
  for (int i = 1; i < 100000; ++i) text += fmt::format("SwitchName=s{} Switches=s{}\n", i, i - 1);
  EXPECT_EQ(tree_of(text).path_length(0, 1), 1);
}

TEST(SwitchTree, SaysWhatIsNoTree) {
  EXPECT_EQ(error(""), "t.conf: the file has no switch; legal: SwitchName=NAME Nodes=HOSTS");
  EXPECT_EQ(error("\n# nothing\n"),
            "t.conf: the file has no switch; legal: SwitchName=NAME Nodes=HOSTS");
  EXPECT_EQ(error("SwitchName=s Nodes=a\n\nSwitchName=s Nodes=b"),
            "t.conf:3: switch 's' is already defined in line 1");
  EXPECT_EQ(error("SwitchName=s Switches=t"),
            "t.conf:1: no line defines switch 't', which is below 's'; legal: a line for each "
            "switch");
  EXPECT_EQ(error("SwitchName=s\nSwitchName=t Switches=s"),
            "t.conf: no switch has a host; legal: SwitchName=NAME Nodes=HOSTS");
}

TEST(SwitchTree, FindsCycles) {
  EXPECT_EQ(error("SwitchName=a Switches=a"),
            "t.conf:1: a cycle: switch 'a' is below 'a', and that is below it");
  EXPECT_EQ(error("SwitchName=a Switches=b\nSwitchName=b Switches=a Nodes=h"),
            "t.conf:1: a cycle: switch 'a' is below 'b', and that is below it");
  // The cycle stands beside a tree, and has a branch below it.
  EXPECT_EQ(error("SwitchName=top Nodes=h\nSwitchName=leaf Nodes=i\n"
                  "SwitchName=a Switches=leaf,b\nSwitchName=b Switches=c\nSwitchName=c Switches=a"),
            "t.conf:3: a cycle: switch 'a' is below 'c', and that is below it");
}

}  // namespace
}  // namespace gatherbench::topology
