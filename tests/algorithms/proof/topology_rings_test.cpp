// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of the registry, not only the orders below them: complete, and without contention on
// random trees, several ranks to a host, numbered in disorder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "algorithms/order.h"
#include "algorithms/proof/proof.h"
#include "algorithms/topology/host_rings.h"
#include "tests/algorithms/proof/ring_schedules.h"
#include "tests/algorithms/topology/random_trees.h"

namespace gatherbench::proof {
namespace {

struct Situation {
  topology::SwitchTree tree;
  RanksOnHosts ranks;
  [[nodiscard]] algorithms::Problem problem() const {
    return {.ranks = static_cast<int>(ranks.host_of_rank.size()),
            .network = &tree,
            .host = ranks.host_of_rank};
  }
};

Situation random_situation(std::mt19937& random, int most_switches, int most_hosts) {
  const auto switches =
      1 + static_cast<int>(topology::draw(random, static_cast<std::size_t>(most_switches)));
  const auto hosts = switches + static_cast<int>(topology::draw(
                                    random, static_cast<std::size_t>(most_hosts - switches) + 1));
  topology::SwitchTree tree = topology::random_tree(random, switches, hosts);
  const std::vector<int> taking_part = topology::random_hosts(random, tree);
  RanksOnHosts ranks = random_ranks(random, taking_part, 3);
  return {std::move(tree), std::move(ranks)};
}

void expect_proven(std::string_view name, const Situation& situation) {
  const algorithms::Algorithm& algorithm = *algorithms::find_algorithm(name);
  const algorithms::Problem problem = situation.problem();
  if (algorithms::why_not(algorithm, problem)) return;
  EXPECT_EQ(prove(algorithm, problem).fault, "") << name << ", " << problem.ranks << " ranks";
}

TEST(TopologyRings, AreProvenOnRandomTrees) {
  std::mt19937 random(3);
  for (int i = 0; i < 150; ++i) {
    const Situation situation = random_situation(random, 20, 60);
    for (const auto* const name :
         {"topology_ring", "topology_ring_two_hop", "topology_ring_optimal"}) {
      expect_proven(name, situation);
    }
  }
}

// They are what a ring in the order of the switches is, with whole blocks or segments.
TEST(TopologyRings, AreTheRingsInSwitchOrder) {
  std::mt19937 random(5);
  for (int i = 0; i < 50; ++i) {
    const Situation situation = random_situation(random, 20, 60);
    algorithms::Problem problem = situation.problem();
    const auto schedules = make_schedules(*algorithms::find_algorithm("topology_ring"), problem);
    problem.reorder = algorithms::find_order("switch");
    EXPECT_TRUE(make_schedules(*algorithms::find_algorithm("ring"), problem) == schedules);
    const std::vector<std::int64_t> block_bytes(situation.ranks.host_of_rank.size(), 10);
    problem.block_bytes = block_bytes;
    problem.parameters = {algorithms::Bytes{4}};
    const auto pipelined = make_schedules(*algorithms::find_algorithm("pipelined_ring"), problem);
    EXPECT_EQ(contention(situation.tree, situation.ranks.host_of_rank, pipelined), "");
  }
}

TEST(TopologyRings, AreProvenOnTreesOf64SwitchesAnd512Hosts) {
  std::mt19937 random(4);
  for (int i = 0; i < 6; ++i) {
    topology::SwitchTree tree = topology::random_tree(random, 64, 512);
    std::vector<int> hosts;
    for (int host = 0; host < tree.hosts(); ++host) hosts.push_back(host);
    topology::shuffle(random, hosts);
    const Situation situation{std::move(tree), random_ranks(random, hosts, 1)};
    expect_proven("topology_ring", situation);
    expect_proven("topology_ring_optimal", situation);
  }
}

TEST(TopologyRings, TheTwoHopRingNamesTheSwitchThatPreventsIt) {
  const topology::SwitchTree tree = topology::SwitchTree::parse(
      "test",
      "SwitchName=a Nodes=h[0-2] Switches=b\nSwitchName=b Nodes=h3 Switches=c\n"
      "SwitchName=c Nodes=h[4-5]\n");
  const std::vector<int> host{0, 1, 2, 3, 4, 5};
  const algorithms::Problem problem{.ranks = 6, .network = &tree, .host = host};
  EXPECT_THAT(why_not(*algorithms::find_algorithm("topology_ring_two_hop"), problem),
              testing::Optional(testing::HasSubstr("switch b has 1")));
  EXPECT_EQ(why_not(*algorithms::find_algorithm("topology_ring_optimal"), problem), std::nullopt);
}

// The ring itself, on a tree small enough to see: hosts 0 and 2 on one switch, 1 and 3 on the
// other.
TEST(TopologyRings, FollowTheSwitches) {
  const topology::SwitchTree tree = topology::SwitchTree::parse(
      "test", "SwitchName=a Nodes=h0,h2 Switches=b\nSwitchName=b Nodes=h1,h3\n");
  const std::vector<int> host{*tree.find_host("h0"), *tree.find_host("h1"), *tree.find_host("h2"),
                              *tree.find_host("h3")};
  const algorithms::Problem problem{.rank = 2, .ranks = 4, .network = &tree, .host = host};
  const algorithms::Schedule schedule =
      algorithms::make_schedule(*algorithms::find_algorithm("topology_ring"), problem);
  EXPECT_EQ(schedule.step(0).sends[0].peer, 1);
  EXPECT_EQ(schedule.step(0).receives[0].peer, 0);
}

}  // namespace
}  // namespace gatherbench::proof
