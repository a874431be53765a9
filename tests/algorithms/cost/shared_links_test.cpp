// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/shared_links.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/cost/cost.h"
#include "algorithms/topology/switch_tree.h"
#include "tests/schedule_of.h"

namespace gatherbench::cost {
namespace {

/// Four switches in a chain, as Faraj 2006, figure 3.22.
topology::SwitchTree chain(int hosts_on_switch) {
  std::string text;
  for (int s = 0; s < 4; ++s) {
    text += fmt::format("SwitchName=s{} Nodes=h[{}-{}]{}\n", s, s * hosts_on_switch,
                        (s + 1) * hosts_on_switch - 1,
                        s < 3 ? fmt::format(" Switches=s{}", s + 1) : "");
  }
  return topology::SwitchTree::parse("test", text);
}

struct Ranks {
  topology::SwitchTree tree;
  std::vector<int> host;

  [[nodiscard]] algorithms::Problem place(const algorithms::Choice& choice) const {
    algorithms::Problem problem = algorithms::problem_for(choice, static_cast<int>(host.size()));
    problem.network = &tree;
    problem.host = host;
    return problem;
  }
};

/// Rank after rank on the hosts of one switch, then of the next.
Ranks in_order(int hosts_on_switch) {
  Ranks ranks{chain(hosts_on_switch), {}};
  for (int host = 0; host < 4 * hosts_on_switch; ++host) ranks.host.push_back(host);
  return ranks;
}

/// Ranks dealt out to the four switches in turn.
Ranks dealt_out(int hosts_on_switch) {
  Ranks ranks{chain(hosts_on_switch), {}};
  for (int rank = 0; rank < 4 * hosts_on_switch; ++rank) {
    ranks.host.push_back(rank % 4 * hosts_on_switch + rank / 4);
  }
  return ranks;
}

struct Row {
  std::string_view algorithm;
  std::int64_t in_all;    // blocks over the most loaded link
  std::int64_t in_steps;  // the same of each step, added up
};

void expect_rows(const Ranks& ranks, const std::vector<Row>& table) {
  for (const Row& row : table) {
    const algorithms::Choice chosen = choice(row.algorithm);
    const algorithms::Problem problem = ranks.place(chosen);
    EXPECT_EQ(maximum_link_bytes(*chosen.algorithm, problem), row.in_all) << row.algorithm;
    EXPECT_EQ(shared_links(*chosen.algorithm, problem).bytes, row.in_steps) << row.algorithm;
  }
}

// Counted from the messages by another program, of the topologies (4) and (6) of Faraj 2006, 3.3.3.
TEST(SharedLinks, OfSixteenHostsInOrder) {
  expect_rows(in_order(4), {{"recursive_doubling", 64, 83},
                            {"gather_bcast", 64, 87},
                            {"bruck", 85, 85},
                            {"mesh2d", 64, 67},
                            {"sparbit", 32, 32},
                            {"recursive_halving", 15, 28}});
}

// The middle link has the blocks of 8 hosts for 8 others.
TEST(SharedLinks, SumsUpLargeBlocks) {
  const Ranks ranks = in_order(4);
  const algorithms::Choice chosen = choice("linear");
  const std::vector<std::int64_t> sizes(16, std::int64_t{1} << 58);
  algorithms::Problem problem = ranks.place(chosen);
  problem.block_bytes = sizes;
  EXPECT_EQ(maximum_link_bytes(*chosen.algorithm, problem), 64 * 0x1p58);
  EXPECT_EQ(shared_links(*chosen.algorithm, problem).bytes, 64 * 0x1p58);
}

TEST(SharedLinks, OfThirtyTwoHostsDealtOut) {
  expect_rows(dealt_out(8), {{"ring", 248, 248},
                             {"recursive_doubling", 32, 68},
                             {"bruck", 40, 68},
                             {"mesh2d", 64, 88},
                             {"mesh3d", 64, 96},
                             {"sparbit", 256, 263},
                             {"shift", 256, 263},
                             {"pair", 256, 327},
                             {"gather_bcast", 512, 796},
                             {"neighbor_exchange", 256, 376}});
}

// Contention free: every step has one block on each link that it uses.
TEST(SharedLinks, ATopologyRingHasOneBlockAStep) {
  const Ranks ranks = dealt_out(8);
  const algorithms::Choice chosen = choice("topology_ring");
  EXPECT_EQ(shared_links(*chosen.algorithm, ranks.place(chosen)), (SharedLinks{31, 0, 31}));
}

TEST(SharedLinks, LinearHasAllItsPeersInOneStep) {
  const Ranks ranks = in_order(4);
  const algorithms::Choice linear = choice("linear");
  // The middle link carries eight blocks to each of eight hosts.
  EXPECT_EQ(shared_links(*linear.algorithm, ranks.place(linear)), (SharedLinks{1, 14, 64}));
}

// Sixteen ranks receive fifteen blocks in four steps. Those of a step lie apart in Sparbit and
// together in recursive doubling; in Bruck, too, but for the rank whose run the last block cuts.
TEST(SharedLinks, BlocksThatLieApartAreMessages) {
  const Ranks ranks = in_order(4);
  const auto further = [&](std::string_view name,
                           const collectives::Collective& collective = collectives::allgather) {
    const algorithms::Choice chosen =
        algorithms::parse_algorithms("--algorithms", name, collective).front();
    return shared_links(*chosen.algorithm, ranks.place(chosen)).further_messages;
  };
  EXPECT_EQ(further("sparbit"), 15 - 4);
  EXPECT_EQ(further("recursive_halving"), 15 - 4);
  EXPECT_EQ(further("recursive_doubling"), 0);
  EXPECT_EQ(further("bruck_in_place"), 0);
  EXPECT_EQ(further("bruck", collectives::alltoall), 0);  // packs
}

// One schedule stands for all where ranks are alike: it has to be the same.
TEST(SharedLinks, OfAlikeRanksAreThoseOfAll) {
  const Ranks ranks = dealt_out(4);
  int alike = 0;
  for (const algorithms::Choice& chosen : algorithms::parse_algorithms("--algorithms", "all")) {
    if (chosen.algorithm->symmetry == algorithms::Symmetry::none) continue;
    const algorithms::Problem problem = ranks.place(chosen);
    if (algorithms::why_not(*chosen.algorithm, problem)) continue;
    algorithms::Algorithm plain = *chosen.algorithm;
    plain.symmetry = algorithms::Symmetry::none;
    EXPECT_EQ(shared_links(*chosen.algorithm, problem), shared_links(plain, problem)) << plain.name;
    ++alike;
  }
  EXPECT_GT(alike, 5);
}

TEST(SharedLinks, RanksOfOneHostShareItsLink) {
  Ranks ranks = in_order(1);
  ranks.host = {0, 0, 1, 1};
  const algorithms::Choice ring = choice("ring");
  EXPECT_EQ(shared_links(*ring.algorithm, ranks.place(ring)), (SharedLinks{3, 0, 3}));
  const algorithms::Choice doubling = choice("recursive_doubling");
  // The first step stays on the hosts; in the second one each host sends two blocks twice.
  EXPECT_EQ(shared_links(*doubling.algorithm, ranks.place(doubling)), (SharedLinks{2, 0, 1 + 4}));
  // Ranks of a host do not wait for each other's bytes.
  ranks.host = {2, 2, 2, 2};
  EXPECT_EQ(shared_links(*ring.algorithm, ranks.place(ring)), (SharedLinks{3, 0, 3}));
}

TEST(SharedLinks, CountsTheBytesOfTheBlocks) {
  const Ranks ranks = in_order(1);
  const algorithms::Choice ring = choice("ring");
  algorithms::Problem problem = ranks.place(ring);
  const std::vector<std::int64_t> bytes{100, 0, 0, 7};
  problem.block_bytes = bytes;
  // The 100 bytes are on their way in each of the three steps.
  EXPECT_EQ(shared_links(*ring.algorithm, problem).bytes, 300);
}

// Two hosts on each of two leaves. recursive_doubling: one block on a host's link, then two blocks
// of each of two ranks from leaf to leaf. A ring: in each of three steps one block on each link.
TEST(SharedLinks, AreWeighedByTheirSpeed) {
  struct {
    std::string_view speed_of_a;  // of b it is that of a host's link
    double doubling;
    double ring;
  } const rows[] = {{"1", 1 + 4, 3}, {"0.25", 1 + 16, 12}, {"4", 1 + 4, 3}};
  for (const auto& row : rows) {
    const std::string text = fmt::format(
        "SwitchName=top Switches=a,b\n"
        "SwitchName=a Nodes=h[0-1] LinkSpeed={}\n"
        "SwitchName=b Nodes=h[2-3]\n",
        row.speed_of_a);
    const Ranks ranks{topology::SwitchTree::parse("test", text), {0, 1, 2, 3}};
    const auto bytes = [&](std::string_view name) {
      const algorithms::Choice chosen = choice(name);
      return shared_links(*chosen.algorithm, ranks.place(chosen)).bytes;
    };
    EXPECT_EQ(bytes("recursive_doubling"), row.doubling) << row.speed_of_a;
    EXPECT_EQ(bytes("ring"), row.ring) << row.speed_of_a;
  }
}

// Both directions of the trunk are of the speed of the switch below it, a fast one.
TEST(SharedLinks, OfAFastTrunkAreThoseOfTheHosts) {
  const Ranks ranks{topology::SwitchTree::parse("test",
                                                "SwitchName=top Nodes=h[0-1] Switches=a\n"
                                                "SwitchName=a Nodes=h[2-3] LinkSpeed=8\n"),
                    {0, 1, 2, 3}};
  const algorithms::Choice doubling = choice("recursive_doubling");
  EXPECT_EQ(shared_links(*doubling.algorithm, ranks.place(doubling)), (SharedLinks{2, 0, 1 + 2}));
}

// Two ranks on each of two hosts. recursive_doubling: within the host one block of each rank, then
// two blocks of each of two ranks over a host's link.
TEST(SharedLinks, WithinAHostAreThoseOfItsMemory) {
  const Ranks ranks{topology::SwitchTree::parse("test", "SwitchName=s Nodes=h[0-1]\n"),
                    {0, 0, 1, 1}};
  const algorithms::Choice doubling = choice("recursive_doubling");
  const auto bytes = [&](const HostSpeeds& within) {
    return shared_links(*doubling.algorithm, ranks.place(doubling), within).bytes;
  };
  EXPECT_EQ(bytes({}), 1 + 4);
  EXPECT_EQ(bytes({.copy = 0.5}), 2 + 4);
  EXPECT_EQ(bytes({.copy = 0.5, .memory = 1}), 2 + 4);
  EXPECT_EQ(bytes({.copy = 0.5, .memory = 0.25}), 8 + 4);
}

// A rank that receives three blocks in a step copies them one after the other.
TEST(SharedLinks, WithinAHostARankCopiesWhatItReceives) {
  const Ranks ranks{topology::SwitchTree::parse("test", "SwitchName=s Nodes=h[0-1]\n"),
                    {0, 0, 0, 0}};
  const algorithms::Choice gather = choice("linear_gather_bcast");
  EXPECT_EQ(shared_links(*gather.algorithm, ranks.place(gather)), (SharedLinks{1, 2, 3}));
  EXPECT_EQ(shared_links(*gather.algorithm, ranks.place(gather), {.copy = 2}).bytes, 1.5);
}

TEST(Contention, MemoryIsAMultipleOfAHostsLink) {
  const ContentionModel model = parse_contention(
      "--model", "alpha=1e-6,copy_bandwidth=5e8,bandwidth=1e9,memory_bandwidth=4e9");
  const HostSpeeds within = host_speeds(model.memory, model.bandwidth);
  EXPECT_DOUBLE_EQ(within.copy, 0.5);
  EXPECT_DOUBLE_EQ(within.memory, 4);
  for (const std::string_view memory :
       {"copy_bandwidth=1e9", "memory_bandwidth=1e9", "copy_bandwidth=0,memory_bandwidth=1e9",
        "copy_bandwidth=1e9,copy_bandwidth=1e9,memory_bandwidth=1e9"}) {
    EXPECT_THROW(parse_contention("--model", fmt::format("alpha=1,bandwidth=1,{}", memory)),
                 text::InputError)
        << memory;
  }
}

TEST(Contention, SecondsAreStartUpsAndBytes) {
  const ContentionModel model{.alpha = 1e-3, .bandwidth = 1000};
  EXPECT_DOUBLE_EQ(contention_seconds({.steps = 3, .bytes = 50}, model, 10), 0.003 + 0.5);
  const SharedLinks use{.steps = 3, .further_messages = 8, .bytes = 50};
  EXPECT_DOUBLE_EQ(contention_seconds(use, model), 0.011 + 0.05);
  EXPECT_DOUBLE_EQ(contention_seconds(use, {.alpha = 1e-3, .bandwidth = 1000, .further = 0.25}),
                   0.005 + 0.05);
}

}  // namespace
}  // namespace gatherbench::cost
