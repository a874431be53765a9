// SPDX-License-Identifier: BSD-3-Clause
//
// Faraj's examples, and random trees: no two hosts send over one link.
#include "algorithms/topology/broadcast_trees.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "tests/algorithms/topology/random_trees.h"

namespace gatherbench::topology {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<int> all_hosts(const SwitchTree& tree) {
  std::vector<int> hosts;
  for (int host = 0; host < tree.hosts(); ++host) hosts.push_back(host);
  return hosts;
}

std::vector<int> order_of(const SwitchTree& tree, std::string_view root) {
  return depth_first_from(tree, all_hosts(tree), *tree.find_host(root));
}

std::string named(const SwitchTree& tree, const std::vector<int>& order) {
  std::string text;
  for (const int host : order) text += (text.empty() ? "" : " ") + tree.host_name(host);
  return text;
}

/// "n0>n1 n0>n5 ...", in the order of the parents.
std::string edges(const SwitchTree& tree, const std::vector<int>& order, const BinaryTree& binary) {
  std::string text;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const int child : binary.children[i]) {
      text += (text.empty() ? "" : " ") + tree.host_name(order[i]) + ">" +
              tree.host_name(order[static_cast<std::size_t>(child)]);
    }
  }
  return text;
}

/// Empty, or what is no tree over the positions or has two positions send over one link.
std::string fault(const SwitchTree& tree, const std::vector<int>& order, const BinaryTree& binary) {
  std::map<int, std::size_t> sender;  // of each link
  std::vector<int> depth(order.size(), -1);
  depth[0] = 0;
  int height = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (depth[i] < 0) return "a position that nobody sends to";
    if (binary.children[i].size() > 2) return "more than two children";
    height = std::max(height, depth[i]);
    for (const int child : binary.children[i]) {
      const auto c = static_cast<std::size_t>(child);
      if (depth[c] >= 0) return "a position that two send to";
      depth[c] = depth[i] + 1;
      std::vector<int> links;
      tree.add_links(order[i], order[c], links);
      for (const int link : links) {
        if (sender.emplace(link, i).first->second != i) return "a link that two send over";
      }
    }
  }
  return height == binary.height ? "" : "another height than it says";
}

// Figure 3.2.
TEST(BroadcastTrees, TheSixMachinesOfFaraj) {
  const SwitchTree tree = SwitchTree::parse("figure 3.2",
                                            "SwitchName=s0 Nodes=n0 Switches=s2,s1\n"
                                            "SwitchName=s2 Nodes=n[1-2]\n"
                                            "SwitchName=s1 Nodes=n5 Switches=s3\n"
                                            "SwitchName=s3 Nodes=n[3-4]\n");
  const std::vector<int> order = order_of(tree, "n0");
  EXPECT_EQ(named(tree, order), "n0 n1 n2 n5 n3 n4");
  const BinaryTree binary = binary_broadcast_tree(tree, order);
  EXPECT_EQ(edges(tree, order, binary), "n0>n1 n0>n5 n1>n2 n5>n3 n5>n4");
  EXPECT_EQ(binary.height, 2);
}

SwitchTree chain(int hosts_a_switch) {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    text += "SwitchName=s" + std::to_string(i) + " Nodes=n[" + std::to_string(i * hosts_a_switch) +
            "-" + std::to_string((i + 1) * hosts_a_switch - 1) + "]" +
            (i < 3 ? " Switches=s" + std::to_string(i + 1) : "") + "\n";
  }
  return SwitchTree::parse("chain", text);
}

// Figure 3.19.
TEST(BroadcastTrees, TheEightMachinesOfFaraj) {
  const SwitchTree tree = chain(2);
  std::vector<int> order = order_of(tree, "n0");
  EXPECT_EQ(named(tree, order), "n0 n1 n2 n3 n4 n5 n6 n7");
  BinaryTree binary = binary_broadcast_tree(tree, order);
  EXPECT_EQ(edges(tree, order, binary), "n0>n1 n0>n2 n2>n3 n2>n4 n4>n5 n4>n6 n6>n7");
  EXPECT_EQ(binary.height, 4);
  order = order_of(tree, "n3");
  EXPECT_EQ(named(tree, order), "n3 n2 n0 n1 n4 n5 n6 n7");
  binary = binary_broadcast_tree(tree, order);
  EXPECT_EQ(binary.height, 3);
  EXPECT_EQ(fault(tree, order, binary), "");
}

TEST(BroadcastTrees, HeightsOfRegularTrees) {
  const SwitchTree four = chain(8);
  EXPECT_EQ(binary_broadcast_tree(four, order_of(four, "n0")).height, 6);
  const SwitchTree one = SwitchTree::parse("one", "SwitchName=s Nodes=n[0-15]\n");
  EXPECT_EQ(binary_broadcast_tree(one, order_of(one, "n0")).height, 4);  // as the complete one
}

TEST(BroadcastTrees, FewHosts) {
  const SwitchTree tree = chain(2);
  EXPECT_THAT(depth_first_from(tree, std::vector{4, 1, 4}, 4), ElementsAre(4, 1));
  EXPECT_THAT(binary_broadcast_tree(tree, std::vector<int>{}).children, IsEmpty());
  const BinaryTree one = binary_broadcast_tree(tree, std::vector{4});
  EXPECT_THAT(one.children, ElementsAre(IsEmpty()));
  EXPECT_EQ(one.height, 0);
  EXPECT_THAT(binary_broadcast_tree(tree, std::vector{4, 1}).children,
              ElementsAre(ElementsAre(1), IsEmpty()));
}

// Hosts that are dealt out to the switches share links in the ranks' own order.
TEST(BroadcastTrees, TheCheckFindsContention) {
  const SwitchTree tree = chain(2);
  const std::vector<int> dealt{0, 2, 4, 6, 1, 3, 5, 7};
  EXPECT_EQ(fault(tree, dealt, {{{1}, {2}, {3}, {4}, {5}, {6}, {7}, {}}, 7}),
            "a link that two send over");
  EXPECT_EQ(fault(tree, dealt, binary_broadcast_tree(tree, dealt)), "a link that two send over");
}

TEST(BroadcastTrees, RandomOnesHaveNoContention) {
  std::mt19937 random(3);
  for (int i = 0; i < 686; ++i) {
    const SwitchTree tree = random_tree(random, 1 + static_cast<int>(draw(random, 8)),
                                        2 + static_cast<int>(draw(random, 22)));
    const std::vector<int> hosts = i % 2 == 0 ? all_hosts(tree) : random_hosts(random, tree);
    const int root = hosts[draw(random, hosts.size())];
    const std::vector<int> order = depth_first_from(tree, hosts, root);
    ASSERT_EQ(order.front(), root);
    ASSERT_THAT(order, testing::UnorderedElementsAreArray(hosts));
    BinaryTree linear{std::vector<std::vector<int>>(order.size()),
                      static_cast<int>(order.size()) - 1};
    for (std::size_t k = 1; k < order.size(); ++k) {
      linear.children[k - 1].push_back(static_cast<int>(k));
    }
    EXPECT_EQ(fault(tree, order, linear), "") << i;
    EXPECT_EQ(fault(tree, order, binary_broadcast_tree(tree, order)), "") << i;
    std::vector<int> ranks;  // up to three a host
    for (const int host : order) ranks.insert(ranks.end(), 1 + draw(random, 3), host);
    EXPECT_EQ(fault(tree, ranks, binary_broadcast_tree(tree, ranks)), "") << i;
  }
}

}  // namespace
}  // namespace gatherbench::topology
