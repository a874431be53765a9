// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/host_rings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/proof/proof.h"
#include "tests/algorithms/proof/ring_schedules.h"
#include "tests/message_of.h"

namespace gatherbench::topology {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::StartsWith;
using testing::UnorderedElementsAreArray;

SwitchTree tree_of(std::string_view text) { return SwitchTree::parse("t.conf", text); }

std::vector<int> all_hosts(const SwitchTree& tree) {
  std::vector<int> hosts;
  for (int host = 0; host < tree.hosts(); ++host) hosts.push_back(host);
  return hosts;
}

/// The tree of which the text says about figure 3.19: 8 machines; depth first, the longest path
/// goes from machine 7 to machine 0 over 4 switches; there is a ring with paths of 2. A chain of 4
/// switches is such a tree.
SwitchTree chain_of_four() {
  return tree_of(
      "SwitchName=s0 Nodes=n[0-1] Switches=s1\n"
      "SwitchName=s1 Nodes=n[2-3] Switches=s2\n"
      "SwitchName=s2 Nodes=n[4-5] Switches=s3\n"
      "SwitchName=s3 Nodes=n[6-7]\n");
}

TEST(HostRings, TheEightMachinesOfFaraj) {
  const SwitchTree tree = chain_of_four();
  const std::vector<int> hosts = all_hosts(tree);
  const auto first = depth_first_ring(tree, hosts);
  EXPECT_THAT(first, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(tree.path_length(7, 0), 4);
  EXPECT_EQ(longest_path(tree, first), 4);
  EXPECT_EQ(why_not_in_two_hops(tree, hosts), std::nullopt);
  const auto second = two_hop_ring(tree, hosts);
  EXPECT_THAT(second, ElementsAre(0, 2, 4, 6, 7, 5, 3, 1));
  EXPECT_EQ(longest_path(tree, second), 2);
  EXPECT_EQ(longest_path(tree, optimal_ring(tree, hosts)), 2);
}

TEST(HostRings, OneSwitchHasPathsOfOne) {
  const SwitchTree tree = tree_of("SwitchName=s0 Nodes=h[0-4]\nSwitchName=top Switches=s0\n");
  for (auto* const ring : {&depth_first_ring, &two_hop_ring, &optimal_ring}) {
    EXPECT_THAT((*ring)(tree, all_hosts(tree)), ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT((*ring)(tree, std::vector{4, 1, 4}), ElementsAre(1, 4));
    EXPECT_THAT((*ring)(tree, std::vector{3}), ElementsAre(3));
    EXPECT_THAT((*ring)(tree, std::vector<int>{}), IsEmpty());
  }
  EXPECT_EQ(longest_path(tree, all_hosts(tree)), 1);
  EXPECT_EQ(longest_path(tree, std::vector{3}), 0);
  EXPECT_EQ(why_not_in_two_hops(tree, all_hosts(tree)), std::nullopt);
  EXPECT_EQ(why_not_in_two_hops(tree, std::vector<int>{}), std::nullopt);
}

TEST(HostRings, TheObstacleNamesTheSwitch) {
  const SwitchTree tree = chain_of_four();
  EXPECT_EQ(why_not_in_two_hops(tree, std::vector{0, 2, 4}),
            "switch s1 has 1 participating host and 2 neighbour switches; a two-hop ring needs at "
            "least as many hosts");
  // Only what is on a path between hosts that take part counts.
  EXPECT_EQ(why_not_in_two_hops(tree, std::vector{2, 4}), std::nullopt);
  EXPECT_THAT(two_hop_ring(tree, std::vector{2, 4}), ElementsAre(2, 4));
  EXPECT_EQ(why_not_in_two_hops(tree, std::vector{3, 5, 4, 7}), std::nullopt);
  // A switch without hosts that take part does too if paths go through it.
  EXPECT_EQ(why_not_in_two_hops(tree, std::vector{0, 4}),
            "switch s1 has 0 participating hosts and 2 neighbour switches; a two-hop ring needs at "
            "least as many hosts");
  EXPECT_EQ(longest_path(tree, optimal_ring(tree, std::vector{0, 4})), 3);
}

TEST(HostRings, OptimalIsBetweenTheTwo) {
  // The three leaves make paths of 3 if the top switch has no hosts; s3, below s2, need not make
  // one of 4.
  const SwitchTree tree = tree_of(
      "SwitchName=top Switches=s[0-2]\n"
      "SwitchName=s0 Nodes=a[0-1]\n"
      "SwitchName=s1 Nodes=b[0-1]\n"
      "SwitchName=s2 Nodes=c[0-1] Switches=s3\n"
      "SwitchName=s3 Nodes=d[0-1]\n");
  const std::vector<int> hosts = all_hosts(tree);
  EXPECT_THAT(
      why_not_in_two_hops(tree, hosts),
      Optional(StartsWith("switch top has 0 participating hosts and 3 neighbour switches;")));
  EXPECT_EQ(longest_path(tree, depth_first_ring(tree, hosts)), 4);
  EXPECT_EQ(longest_path(tree, optimal_ring(tree, hosts)), 3);
}

struct Name {
  const char* name;
  std::vector<int> (*ring)(const SwitchTree&, std::span<const int>);
};

TEST(HostRings, RandomRingsVisitEachHostOnceAndHaveNoContention) {
  std::mt19937 random(2006);
  int two_hop_rings = 0;
  for (int i = 0; i < 400; ++i) {
    const SwitchTree tree = random_tree(random, 1 + static_cast<int>(draw(random, 64)),
                                        1 + static_cast<int>(draw(random, 512)));
    const std::vector<int> hosts = i % 2 == 0 ? all_hosts(tree) : random_hosts(random, tree);
    const bool two_hops = !why_not_in_two_hops(tree, hosts).has_value();
    two_hop_rings += two_hops ? 1 : 0;
    int shortest = tree.switches();
    for (const auto& [name, make] :
         {Name{"depth_first", depth_first_ring}, Name{"two_hop", two_hop_ring},
          Name{"optimal", optimal_ring}}) {
      if (make == two_hop_ring && !two_hops) continue;
      const std::vector<int> ring = make(tree, hosts);
      ASSERT_THAT(ring, UnorderedElementsAreArray(hosts)) << name << ' ' << i;
      // All steps of a ring are alike.
      const proof::RanksOnHosts ranks = proof::random_ranks(random, ring, 3);
      EXPECT_EQ(proof::contention(tree, ranks.host_of_rank, proof::ring_schedules(ranks.order, 2)),
                "")
          << name << ' ' << i;
      EXPECT_LE(longest_path(tree, ring), shortest) << name << ' ' << i;
      if (two_hops && make != depth_first_ring) {
        EXPECT_LE(longest_path(tree, ring), 2) << i;
      }
      shortest = longest_path(tree, ring);
    }
    if (!two_hops) {
      EXPECT_GE(shortest, 3) << i;
    }
  }
  EXPECT_GT(two_hop_rings, 20);
}

TEST(HostRings, ManyKindsOfSubtreesAreRefused) {
  // 24 chains of different length below one switch: 2^24 sets of them.
  std::string text = "SwitchName=top Switches=s[1-24]_0\n";
  for (int chain = 1; chain <= 24; ++chain) {
    for (int i = 0; i < chain; ++i) {
      text += fmt::format("SwitchName=s{}_{} ", chain, i);
      text += i + 1 < chain ? fmt::format("Switches=s{}_{}\n", chain, i + 1)
                            : fmt::format("Nodes=h{}\n", chain);
    }
  }
  const SwitchTree tree = tree_of(text);
  EXPECT_THAT(
      message_of([&] { optimal_ring(tree, all_hosts(tree)); }),
      "switch top: its 24 child switches are of 24 kinds, so the optimal ring takes more than "
      "4194304 states; take the depth-first or the two-hop ring");
}

TEST(HostRings, ManySubtreesOfFewKindsAreNot) {
  // 1000 leaves, half of them one switch further down.
  std::string text = "SwitchName=top Switches=s[0-999]\n";
  for (int i = 0; i < 1000; ++i) {
    text += i % 2 == 0 ? fmt::format("SwitchName=s{0} Nodes=h{0}\n", i)
                       : fmt::format(
                             "SwitchName=s{0} Switches=t{0}\nSwitchName=t{0} "
                             "Nodes=h{0}_[0-3]\n",
                             i);
  }
  const SwitchTree tree = tree_of(text);
  EXPECT_EQ(longest_path(tree, optimal_ring(tree, all_hosts(tree))), 4);
}

}  // namespace
}  // namespace gatherbench::topology
