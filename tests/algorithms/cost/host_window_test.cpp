// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers within a node that are copies: small cases by hand, in all models of times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/cost/cost.h"
#include "algorithms/cost/models.h"
#include "algorithms/cost/shared_links.h"
#include "algorithms/cost/timing.h"
#include "algorithms/topology/switch_tree.h"
#include "formats/text/input_error.h"
#include "tests/schedule_of.h"

namespace gatherbench::cost {
namespace {

using algorithms::Via;

// Blocks of 1000 bytes: 5 us as a message, 0.75 us as copies.
constexpr std::int64_t c = 1000;
constexpr Hockney hockney{.alpha = 3e-6, .beta = 2e-9};
constexpr HostWindow window{.alpha = 0.5e-6, .bandwidth = 4e9};
constexpr double message_us = 5;
constexpr double copy_us = 0.75;

/// Four ranks, two on each node.
const std::vector<int> two_nodes{0, 0, 1, 1};
const std::vector<int> one_node{0, 0, 0, 0};

struct Blocks {
  algorithms::Choice choice;
  std::vector<std::int64_t> bytes;
  algorithms::Problem problem;

  Blocks(algorithms::Choice chosen, const std::vector<int>& node)
      : choice(std::move(chosen)),
        bytes(
            static_cast<std::size_t>(choice.algorithm->kind->blocks(static_cast<int>(node.size()))),
            c),
        problem(algorithms::problem_for(choice, static_cast<int>(node.size()))) {
    problem.block_bytes = bytes;
    problem.node = node;
  }
};

double hockney_us(std::string_view text, const std::vector<int>& node,
                  const Hockney& model = hockney) {
  const Blocks blocks(choice(text), node);
  return 1e6 * hockney_window_seconds(*blocks.choice.algorithm, blocks.problem, model, window);
}

TEST(HockneyWindow, CopiesWithinANodeAndMessagesBetween) {
  EXPECT_DOUBLE_EQ(hockney_us("ring", one_node), 3 * copy_us);
  // A rank sends a copy while it receives a message, or the other way round.
  EXPECT_DOUBLE_EQ(hockney_us("ring", two_nodes), 3 * message_us);
  // One block to the other rank of the node, then two to a rank of the other node.
  EXPECT_DOUBLE_EQ(hockney_us("recursive_doubling", two_nodes), copy_us + 3 + 2 * 2);
  // One step: a copy and two messages, one after the other.
  EXPECT_DOUBLE_EQ(hockney_us("linear", two_nodes), copy_us + 2 * message_us);
  EXPECT_DOUBLE_EQ(hockney_us("linear", {0, 1, 2, 3}), 3 * message_us);
}

TEST(HockneyWindow, CopiesHaveNoFurtherMessages) {
  Hockney with_tau = hockney;
  with_tau.tau = 1e-3;
  const std::vector<int> eight_ranks(8, 0);
  EXPECT_DOUBLE_EQ(hockney_us("sparbit", eight_ranks, with_tau),
                   hockney_us("sparbit", eight_ranks));
  const std::vector<int> apart{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_GT(hockney_us("sparbit", apart, with_tau), 1000);
}

TEST(HockneyWindow, IsThatOfMessagesWhereNoneShareANode) {
  const std::vector<int> apart{0, 1, 2, 3, 4, 5, 6, 7};
  Hockney model = hockney;
  model.tau = 1e-6;
  model.gamma = 1e-9;
  for (const collectives::Collective* kind :
       {&collectives::allgather, &collectives::alltoall, &collectives::allreduce}) {
    for (const std::string_view name : {"bruck", "ring", "recursive_doubling", "linear"}) {
      const algorithms::Algorithm* found = algorithms::find_algorithm(name, *kind);
      if (found == nullptr) continue;
      const Blocks blocks(algorithms::choice_of(*found), apart);
      if (algorithms::why_not(*found, blocks.problem)) continue;
      EXPECT_DOUBLE_EQ(hockney_window_seconds(*found, blocks.problem, model, window),
                       hockney_seconds(port_uses(*found, blocks.problem, true), model))
          << kind->name << " " << found->name;
    }
  }
}

struct Hosts {
  topology::SwitchTree tree = topology::SwitchTree::parse("test", "SwitchName=s Nodes=h[0-1]\n");
  /// Returns the use with blocks of one byte; links have 1 GB/s, copies 4 GB/s.
  [[nodiscard]] SharedLinks use(std::string_view text, const std::vector<int>& host,
                                const std::optional<HostMemory>& memory = {}, Via via = Via::window,
                                const StartUpTimes& times = {}) const {
    const algorithms::Choice chosen = choice(text);
    algorithms::Problem problem = algorithms::problem_for(chosen, static_cast<int>(host.size()));
    problem.network = &tree;
    problem.host = host;
    return shared_links(*chosen.algorithm, problem, host_speeds(memory, 1e9, window), via, times);
  }
};

TEST(ContentionWindow, CopiesHaveNoStartUpOfAMessage) {
  const Hosts hosts;
  EXPECT_EQ(hosts.use("recursive_doubling", two_nodes),
            (SharedLinks{.steps = 1, .bytes = 0.25 + 4, .steps_of_copies = 1}));
  // A rank sends a copy while it receives a message, or the other way round.
  EXPECT_EQ(hosts.use("ring", two_nodes), (SharedLinks{.steps = 3, .bytes = 3}));
  // Each rank copies to three others in one step.
  EXPECT_EQ(hosts.use("linear", one_node),
            (SharedLinks{.bytes = 3 * 0.25, .steps_of_copies = 1, .further_copies = 2}));
  EXPECT_EQ(hosts.use("linear", one_node, {}, Via::messages),
            (SharedLinks{.steps = 1, .further_messages = 2, .bytes = 3 * 0.25}));
}

// Three ranks each send two copies and a message, and the fourth one sends three messages.
TEST(ContentionWindow, TheLongestStartUpsOfARankCount) {
  const Hosts hosts;
  const auto use = [&](double copy) {
    SharedLinks found = hosts.use("linear", {0, 0, 0, 1}, {}, Via::window, {1, copy});
    found.bytes = 0;
    return found;
  };
  EXPECT_EQ(use(0.5), (SharedLinks{.steps = 1, .further_messages = 2}));
  EXPECT_EQ(use(1.5), (SharedLinks{.steps = 1, .further_copies = 2}));
}

// Two ranks of each host copy a block each at once.
TEST(ContentionWindow, CopiesOfAHostShareItsMemory) {
  const Hosts hosts;
  const auto bytes = [&](double memory_bandwidth) {
    return hosts.use("recursive_doubling", two_nodes, HostMemory{7e9, memory_bandwidth}).bytes;
  };
  EXPECT_DOUBLE_EQ(bytes(100e9), 0.25 + 4);
  EXPECT_DOUBLE_EQ(bytes(4e9), 2 * 0.25 + 4);
  EXPECT_DOUBLE_EQ(bytes(1e9), 2 + 4);
}

// The times that were measured of copies hold for them, whatever messages share.
TEST(ContentionWindow, CopiesHaveAMemoryBandwidthOfTheirOwn) {
  HostWindow own = window;
  own.memory_bandwidth = 6e9;
  EXPECT_EQ(host_speeds(HostMemory{7e9, 1e9}, 1e9, own).memory, 6);
  EXPECT_EQ(host_speeds({}, 1e9, own).memory, 6);
  EXPECT_EQ(host_speeds(HostMemory{7e9, 1e9}, 1e9, window).memory, 1);
  EXPECT_EQ(host_speeds(HostMemory{7e9, 1e9}, 1e9).memory, 1);
}

TEST(ContentionWindow, SecondsAreStartUpsCopiesAndBytes) {
  ContentionModel model{.alpha = 3e-6, .bandwidth = 1e9};
  const SharedLinks use{
      .steps = 2, .further_messages = 1, .bytes = 4, .steps_of_copies = 1, .further_copies = 4};
  EXPECT_DOUBLE_EQ(contention_seconds(use, model, c, window), 3 * 3e-6 + 5 * 0.5e-6 + 4e-6);
  // Further ones take a share of a start-up, copies as messages do.
  model.further = 0.25;
  EXPECT_DOUBLE_EQ(contention_seconds(use, model, c, window), 2.25 * 3e-6 + 2 * 0.5e-6 + 4e-6);
}

std::vector<double> exits(std::string_view text, const TimingModel& model,
                          const std::vector<double>& arrivals) {
  const Blocks blocks(choice(text), two_nodes);
  return exits_us(messages::CompactSchedules::of(*blocks.choice.algorithm, blocks.problem),
                  {arrivals}, model);
}

auto are(const std::vector<double>& us) {
  return testing::Pointwise(testing::DoubleNear(1e-9), us);
}

TEST(TimingWindow, OfPorts) {
  const std::vector<double> together(4, 0);
  for (const Sends sends : {Sends::rendezvous, Sends::eager}) {
    const TimingModel model{
        .hockney = hockney, .sends = sends, .window = window, .node = two_nodes};
    EXPECT_THAT(exits("recursive_doubling", model, together),
                are(std::vector<double>(4, copy_us + 7)));
  }
  const TimingModel model{.hockney = hockney, .window = window, .node = two_nodes};
  EXPECT_THAT(exits("ring", model, together), are(std::vector<double>(4, 3 * message_us)));
  // Rank 1 waits for rank 0, and ranks 2 and 3 wait for both.
  EXPECT_THAT(exits("recursive_doubling", model, {10, 0, 0, 0}),
              are(std::vector<double>(4, 10 + copy_us + 7)));
}

TEST(TimingWindow, OfLinksAndMemory) {
  const topology::SwitchTree tree =
      topology::SwitchTree::parse("test", "SwitchName=s Nodes=h[0-1]\n");
  const std::vector<double> together(4, 0);
  // The time between hosts is 3 us, and four blocks of 2 us over the link of two ranks.
  const auto us = [&](const std::optional<HostMemory>& memory) {
    const TimingModel model{.hockney = hockney,
                            .network = &tree,
                            .host = two_nodes,
                            .memory = memory,
                            .window = window,
                            .node = two_nodes};
    return exits("recursive_doubling", model, together);
  };
  EXPECT_THAT(us({}), are(std::vector<double>(4, copy_us + 3 + 8)));
  // Two blocks at once at 1 byte a ns.
  EXPECT_THAT(us(HostMemory{9e9, 1e9}), are(std::vector<double>(4, 0.5 + 2 + 3 + 8)));
}

// The library sends what has no bytes, within a node too.
TEST(TimingWindow, ATokenIsAMessage) {
  std::vector<algorithms::Schedule> schedules(2);
  for (algorithms::Schedule& schedule : schedules) schedule.begin_step();
  schedules[0].send_token(1);
  schedules[1].receive_token(0);
  EXPECT_THAT(exits_us(schedules, messages::TransferBytes(2), {std::vector<double>{0, 0}},
                       {.hockney = hockney, .window = window}),
              are({3, 3}));
}

TEST(HostWindow, IsReadAsItIsWritten) {
  EXPECT_EQ(text_of(window), "window_alpha=5e-07,window_bandwidth=4e+09");
  HostWindow own = window;
  own.memory_bandwidth = 6e9;
  const ParametersWithWindow found =
      split_host_window("--model", "alpha=1," + text_of(own) + ",beta=2");
  EXPECT_EQ(found.others, "alpha=1,beta=2");
  ASSERT_TRUE(found.window);
  EXPECT_EQ(found.window->alpha, window.alpha);
  EXPECT_EQ(found.window->bandwidth, window.bandwidth);
  EXPECT_EQ(found.window->memory_bandwidth, 6e9);
  EXPECT_FALSE(split_host_window("--model", "alpha=1,beta=2").window);
}

TEST(HostWindow, BothOfItsParametersOrNone) {
  for (const std::string_view text :
       {"window_alpha=1", "window_bandwidth=1", "window_alpha=1,window_bandwidth=0",
        "window_alpha=1,window_bandwidth=1,window_memory_bandwidth=0", "window_memory_bandwidth=1",
        "window_alpha=-1,window_bandwidth=1", "window_alpha=1,window_alpha=1,window_bandwidth=1"}) {
    EXPECT_THROW(split_host_window("--model", text), text::InputError) << text;
  }
}

}  // namespace
}  // namespace gatherbench::cost
