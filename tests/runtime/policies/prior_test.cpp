// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/policies/prior.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "algorithms/registry.h"
#include "algorithms/topology/switch_tree.h"
#include "runtime/policies/agstar.h"
#include "runtime/policies/choices.h"
#include "tests/runtime/policies/star_machines.h"
#include "tests/schedule_of.h"

namespace gatherbench::policies {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::UnorderedElementsAre;

std::vector<std::string> names_of(const std::vector<algorithms::Choice>& choices) {
  std::vector<std::string> names;
  for (const algorithms::Choice& each : choices) names.push_back(each.label());
  return names;
}

algorithms::Problem placed(const algorithms::Placement& placement, int ranks) {
  return placement.place({.ranks = ranks});
}

TEST(AllChoices, AreNativeAndWhatCanRun) {
  const std::vector<std::string> names = names_of(all_choices({.ranks = 6}));
  EXPECT_EQ(names.front(), "native");
  EXPECT_THAT(names, Contains("ring"));
  EXPECT_THAT(names, Not(Contains("recursive_doubling")));   // 6 is no power of two
  EXPECT_THAT(names, Not(Contains("topology_ring")));        // no switch tree
  EXPECT_THAT(names, Not(Contains("bdr")));                  // predicts arrivals
  EXPECT_THAT(names, Not(Contains("linear_gather_bcast")));  // the library's broadcast
  EXPECT_THAT(names, Not(Contains("library_gather_bcast")));
  EXPECT_THAT(names, Not(Contains(testing::HasSubstr("via="))));
  const algorithms::Placement tree = star_b().placement;
  EXPECT_THAT(names_of(all_choices(placed(tree, 32))), Contains("topology_ring"));
}

TEST(AllChoices, AreByWindowsTooWhereNodesAreShared) {
  const std::vector<std::string> names = names_of(all_choices({.ranks = 6}, true));
  EXPECT_THAT(names, testing::IsSupersetOf({"native", "ring", "ring:via=window"}));
  EXPECT_THAT(names, Not(Contains("native:via=window")));
  EXPECT_EQ(names.size(), 2 * all_choices({.ranks = 6}).size() - 1);
  const std::vector<int> one_each{0, 1, 2};
  const std::vector<int> shared{0, 1, 0};
  EXPECT_THAT(names_of(all_choices({.ranks = 3, .node = one_each}, true)),
              Not(Contains("ring:via=window")));
  EXPECT_THAT(names_of(all_choices({.ranks = 3, .node = shared}, true)),
              Contains("ring:via=window"));
}

TEST(FirstChoices, CopyWithinANode) {
  EXPECT_THAT(names_of(first_choices({.ranks = 6}, 4, true)),
              ElementsAre("native", "linear:via=window", "ring", "bruck_in_place", "sparbit"));
  EXPECT_THAT(names_of(first_choices({.ranks = 6}, 1, true)),
              ElementsAre("native", "linear:via=window"));
  const std::vector<int> node{0, 0, 1, 1};
  EXPECT_THAT(names_of(first_choices({.ranks = 4, .node = node}, 6, true)),
              ElementsAre("native", "ring", "bruck_in_place", "recursive_doubling",
                          "leader:via=window", "lane:via=window", "sparbit"));
  const std::vector<int> one_each{0, 1, 2, 3};
  EXPECT_EQ(names_of(first_choices({.ranks = 4, .node = one_each}, 6, true)),
            names_of(first_choices({.ranks = 4, .node = one_each}, 6)));
}

TEST(FirstChoices, AreFourThatAreSeldomBad) {
  EXPECT_THAT(names_of(first_choices({.ranks = 8})),
              ElementsAre("native", "ring", "bruck_in_place", "recursive_doubling", "sparbit"));
  EXPECT_THAT(names_of(first_choices({.ranks = 6})),
              ElementsAre("native", "ring", "bruck_in_place", "sparbit"));
  const std::vector<int> node{0, 0, 1, 1};
  const std::vector<std::string> on_nodes = names_of(first_choices({.ranks = 4, .node = node}, 6));
  EXPECT_THAT(on_nodes, Contains(testing::StartsWith("leader")));
  EXPECT_EQ(on_nodes.back(), "sparbit");
  const std::vector<int> one_each{0, 1, 2, 3};
  EXPECT_EQ(names_of(first_choices({.ranks = 4, .node = one_each}, 6)).size(), 5U);
  EXPECT_EQ(names_of(first_choices(placed(star_b().placement, 32)))[1], "topology_ring");
}

// Faraj 2006, 4.3.2.1: six groups of twelve.
TEST(CandidatesOf, HaveThePublishedGroups) {
  std::map<std::size_t, std::vector<std::string>> groups;
  for (const Candidate& each : candidates_of(star_choices())) {
    groups[each.group].push_back(each.name);
    EXPECT_FALSE(each.prior_ns);
  }
  ASSERT_EQ(groups.size(), 6U);
  EXPECT_THAT(groups[1], ElementsAre("linear"));
  EXPECT_THAT(groups[2], UnorderedElementsAre("recursive_doubling", "mesh2d", "mesh3d", "bruck"));
  EXPECT_THAT(groups[6], ElementsAre("topology_ring"));
  // Any other is a group of its own.
  std::set<std::size_t> others;
  for (const char* const name : {"native", "sparbit", "leader"}) {
    others.insert(candidates_of(std::vector{choice("linear"), choice(name)})[1].group);
  }
  EXPECT_EQ(others, (std::set<std::size_t>{7}));
  const auto by_window = candidates_of(std::vector{choice("linear"), choice("linear:via=window")});
  EXPECT_NE(by_window[0].group, by_window[1].group);
  const auto two = candidates_of(std::vector{choice("leader"), choice("sparbit")});
  EXPECT_NE(two[0].group, two[1].group);
}

std::vector<std::string> survivors(const StarMachine& machine, std::int64_t block_bytes) {
  ModelPrior prior(star_choices(), machine.placement, machine.ranks, star_network);
  std::vector<Candidate> candidates = prior.candidates(
      std::vector<std::int64_t>(static_cast<std::size_t>(machine.ranks), block_bytes));
  candidates.insert(candidates.begin(), {"native", 0, {}});
  std::vector<std::string> names;
  const Agstar policy(candidates, 50);
  for (const std::size_t each : policy.alive()) {
    names.push_back(candidates[each].name);
  }
  return names;
}

TEST(ModelPrior, KnowsWhatSuitsASwitchTree) {
  EXPECT_THAT(survivors(star_b(), 64 << 10),
              UnorderedElementsAre("topology_ring", "recursive_doubling", "bruck"));
  EXPECT_THAT(survivors(star_b(), 16 << 10), testing::IsSupersetOf({"topology_ring", "mesh3d"}));
  EXPECT_THAT(survivors(star_b(), 16 << 10), Not(Contains("linear")));
}

TEST(ModelPrior, OnOneSwitchAllAreMuchAlike) {
  EXPECT_EQ(survivors(star_a(), 16 << 10).size(), 8U);
}

// Computed by hand: 5 ranks have ports of their own; linear has four messages in its one step.
TEST(ModelPrior, IsStartUpsAndBytes) {
  const cost::ContentionModel network{.alpha = 1e-6, .bandwidth = 1e9};
  ModelPrior prior(
      {choice("native"), choice("ring"), choice("linear"), choice("linear:via=window")}, {}, 5,
      network);
  const std::vector<Candidate> found = prior.candidates(std::vector<std::int64_t>(5, 1000));
  EXPECT_FALSE(found[0].prior_ns);
  EXPECT_EQ(found[1].prior_ns, 4 * (1000 + 1000));
  EXPECT_EQ(found[2].prior_ns, 1000 + 3 * 250 + 4 * 1000);
  EXPECT_FALSE(found[3].prior_ns);  // a copy is no message
  // Of unequal blocks: 4000 bytes are on their way in every step of the ring.
  const std::vector<std::int64_t> spike{0, 0, 4000, 0, 0};
  EXPECT_EQ(prior.candidates(spike)[1].prior_ns, 4 * (1000 + 4000));
  EXPECT_EQ(prior.candidates(std::vector<std::int64_t>(5, 10))[1].prior_ns, 4 * (1000 + 10));
}

TEST(ModelPrior, ANodesRanksShareItsPort) {
  const cost::ContentionModel network{.alpha = 1e-6, .bandwidth = 1e9};
  const algorithms::Placement cyclic{.node = {7, 3, 7, 3}, .network = {}, .host = {}};
  ModelPrior prior({choice("ring")}, cyclic, 4, network);
  // Two ranks of a node send to the other node in each of three steps.
  EXPECT_EQ(prior.candidates(std::vector<std::int64_t>(4, 1000))[0].prior_ns, 3 * (1000 + 2000));
  const algorithms::Placement in_order{.node = {7, 7, 3, 3}, .network = {}, .host = {}};
  ModelPrior other({choice("ring")}, in_order, 4, network);
  EXPECT_EQ(other.candidates(std::vector<std::int64_t>(4, 1000))[0].prior_ns, 3 * (1000 + 1000));
}

TEST(ModelPrior, CountsTheSegmentsOfTheBlocksAtHand) {
  const cost::ContentionModel network{.alpha = 1e-6, .bandwidth = 1e9};
  ModelPrior prior({choice("pipelined_ring:segment=300")}, {}, 4, network);
  EXPECT_EQ(prior.candidates(std::vector<std::int64_t>(4, 900))[0].prior_ns, 9 * (1000 + 300));
  EXPECT_EQ(prior.candidates(std::vector<std::int64_t>(4, 300))[0].prior_ns, 3 * (1000 + 300));
}

TEST(ModelPrior, CountsThePiecesOfAnInnerBroadcast) {
  const cost::ContentionModel start_ups{.alpha = 1e-6, .bandwidth = 1e18};
  ModelPrior prior({choice("gather_bcast:bcast=linear_pipeline")}, {}, 4, start_ups);
  const auto expected = [&prior](std::int64_t bytes) {
    return prior.candidates(std::vector<std::int64_t>(4, bytes))[0].prior_ns.value_or(0);
  };
  EXPECT_GT(expected(64 << 10), expected(8));
}

TEST(ModelPrior, ExpectsNothingOfVeryManyRanks) {
  const int ranks = ModelPrior::most_ranks + 1;
  ModelPrior prior({choice("ring")}, {}, ranks, star_network);
  EXPECT_FALSE(
      prior.candidates(std::vector<std::int64_t>(static_cast<std::size_t>(ranks), 8))[0].prior_ns);
}

}  // namespace
}  // namespace gatherbench::policies
