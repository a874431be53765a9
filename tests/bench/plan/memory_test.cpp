// SPDX-License-Identifier: BSD-3-Clause
//
// What algorithms by windows take of memory, on the rank that has most.
#include "bench/plan/memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/registry.h"
#include "runtime/mpi/window/node_window.h"

namespace gatherbench::bench {
namespace {

/// A launch of eight ranks, as many on each node, which are one group.
Setup setup_of(std::string_view algorithms, int ranks_per_node) {
  Setup setup;
  Group all{.name = "all", .ranks = {}, .placement = {}};
  for (int rank = 0; rank < 8; ++rank) {
    setup.nodes.of_rank.push_back(rank / ranks_per_node);
    all.ranks.push_back(rank);
  }
  all.placement.node = setup.nodes.of_rank;
  setup.parts.push_back({{"as launched", all.ranks}, all.placement, {all}, {}});
  if (algorithms.empty()) return setup;
  for (const algorithms::Choice& choice : algorithms::parse_algorithms("-a", algorithms)) {
    setup.contenders.push_back({choice, choice.label(), {}, {}});
  }
  return setup;
}

std::int64_t bytes(std::string_view algorithms, int ranks_per_node = 8) {
  return channel_bytes_of_rank(setup_of(algorithms, ranks_per_node));
}

constexpr auto window = &mpi::NodeWindow::bytes_of_rank;

TEST(Channels, AreOfTheRanksThatShareANode) {
  EXPECT_EQ(window(7), (57 + 64 + 1) * 4096) << "channels and the stage in whole pages, and one";
  EXPECT_EQ(bytes("ring,linear"), 0);
  EXPECT_EQ(bytes("ring:via=window,native"), window(8));
  EXPECT_EQ(bytes("ring:via=window", 4), window(4));
  EXPECT_EQ(bytes("ring:via=window", 1), 0) << "nobody to share them with";
}

TEST(Channels, AreOfEachPlanThatIsAlive) {
  auto setup = setup_of("ring:via=window,linear:via=window,ring", 8);
  EXPECT_EQ(channel_bytes_of_rank(setup), 2 * window(8));
  setup.options.order.kind = Order::sequential;
  EXPECT_EQ(channel_bytes_of_rank(setup), window(8));
  setup.contenders[0].why_not = setup.contenders[1].why_not = "why not";
  EXPECT_EQ(channel_bytes_of_rank(setup), 0);
}

TEST(Channels, AreOfOneThatSelectsIfItMayTakeThem) {
  for (const char* const policy :
       {"agstar", "random:1", "fixed:ring:via=window", "star:algorithms=all",
        "star:algorithms=ring+linear:via=window"}) {
    EXPECT_EQ(bytes(std::string("adaptive:policy=") + policy), window(8)) << policy;
    EXPECT_EQ(bytes(std::string("adaptive:policy=") + policy, 1), 0) << policy;
  }
  for (const char* const policy : {"star", "fixed:ring", "star:algorithms=ring+linear"}) {
    EXPECT_EQ(bytes(std::string("adaptive:policy=") + policy), 0) << policy;
  }
}

TEST(Channels, AreOfEachDifferentCallOfAReplay) {
  auto setup = setup_of("ring:via=window", 4);
  const Group& all = setup.parts.front().groups.front();
  Group two{.name = "0,1", .ranks = {0, 1}, .placement = {}};
  two.placement.node = {0, 0};
  setup.replay = Replay{};
  setup.replay->groups = {all, two};
  setup.replay->shapes = {{0, {}}, {0, {}}, {1, {}}};
  EXPECT_EQ(channel_bytes_of_rank(setup), 2 * window(4) + window(2));
}

TEST(MemoryNeed, CanBeCountedOfTheLargestCases) {
  const auto regular = distributions::parse_distributions("-d", "regular", {});
  const std::vector<arrivals::ArrivalPattern> none(1);
  for (const collectives::Collective& collective : collectives::all_collectives()) {
    auto setup = setup_of("", 8);
    const Group& all = setup.parts.front().groups.front();
    setup.options.collective = &collective;
    for (const std::string_view name : algorithms::algorithm_names(&collective)) {
      const algorithms::Choice choice =
          algorithms::choice_of(*algorithms::find_algorithm(name, collective));
      for (int copy = 0; copy < 20; ++copy) {
        setup.contenders.push_back({choice, choice.label(), {}, {}});
      }
    }
    const auto blocks = static_cast<std::int64_t>(collective.blocks(8));
    for (std::int64_t bytes = 4096; bytes <= most_bytes_of_ranks / 8 / blocks; bytes *= 2) {
      setup.options.sizes = {bytes};
      const std::int64_t need =
          estimate_memory(setup, make_cases(setup.options, all, {}, regular, none).front()).total();
      EXPECT_GE(need, 2 * bytes) << collective.name << ", " << bytes;
    }
  }
}

}  // namespace
}  // namespace gatherbench::bench
