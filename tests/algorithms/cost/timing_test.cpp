// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "algorithms/cost/cost.h"
#include "algorithms/topology/switch_tree.h"
#include "distributions/arrivals/arrival_pattern.h"
#include "formats/text/parse.h"
#include "formats/text/words.h"
#include "tests/schedule_of.h"

namespace gatherbench::cost {
namespace {

using algorithms::Schedule;
using testing::ElementsAre;
using testing::ElementsAreArray;

/// A byte takes a microsecond, so the message of a block of one byte takes one.
constexpr Hockney byte_a_us{.alpha = 0, .beta = 1e-6};
constexpr TimingModel rendezvous{byte_a_us};
constexpr TimingModel eager{byte_a_us, Sends::eager};

algorithms::Problem problem_of(const algorithms::Choice& chosen,
                               const std::vector<double>& arrivals,
                               const std::vector<std::int64_t>& block_bytes, const Hockney& model) {
  algorithms::Problem problem = algorithms::problem_for(chosen, static_cast<int>(arrivals.size()));
  problem.block_bytes = block_bytes;
  if (chosen.algorithm->is<algorithms::ByArrivals>()) {
    problem.arrival_us = arrivals;
    problem.message_us = (model.alpha + static_cast<double>(problem.bytes(0)) * model.beta) * 1e6;
  }
  return problem;
}

std::vector<double> exits_of(std::string_view algorithm, const std::vector<double>& arrivals,
                             const TimingModel& model,
                             const std::vector<std::int64_t>& block_bytes = {}) {
  const algorithms::Choice chosen = choice(algorithm);
  const algorithms::Problem problem = problem_of(chosen, arrivals, block_bytes, model.hockney);
  return exits_us(messages::CompactSchedules::of(*chosen.algorithm, problem, model.hockney.tau > 0),
                  {arrivals, chosen.algorithm->is<algorithms::ByArrivals>()}, model);
}

double mean_elapsed(const std::vector<double>& exits, const std::vector<double>& arrivals) {
  const double sum =
      std::reduce(exits.begin(), exits.end()) - std::reduce(arrivals.begin(), arrivals.end());
  return sum / static_cast<double>(exits.size());
}

std::vector<double> zeros(int ranks) {
  return std::vector<double>(static_cast<std::size_t>(ranks), 0);
}

/// Up to 3 messages apart.
std::vector<double> some_arrivals(int ranks) {
  std::mt19937_64 random(1);
  std::vector<double> arrivals;
  for (int i = 0; i < ranks; ++i) arrivals.push_back(static_cast<double>(random() % 3000) / 1000);
  return arrivals;
}

// The times are those of an independent simulation; the first one was computed by hand too (Proficz
// 2021, figure 4).
TEST(Timing, RingAndBdrUnderArrivals) {
  struct Row {
    std::string_view algorithm;
    std::vector<double> arrivals;
    std::vector<double> exits;
  };
  const std::vector<double> one_late{0, 0, 0, 0, 0, 0, 0, 10};
  const std::vector<double> stairs{0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<Row> table{
      {"ring", {2, 0, 0, 0}, {5, 5, 5, 5}},
      {"bdr", {2, 0, 0, 0}, {3, 4, 5, 5}},
      {"ring", one_late, std::vector<double>(8, 17)},
      {"bdr", one_late, {12, 13, 14, 15, 16, 17, 17, 11}},
      {"ring", stairs, std::vector<double>(8, 14)},
      {"bdr", stairs, {11, 12, 12, 13, 13, 14, 14, 11}},
      {"ring", zeros(8), std::vector<double>(8, 7)},
      {"bdr", zeros(8), std::vector<double>(8, 7)},
  };
  for (const Row& row : table) {
    EXPECT_THAT(exits_of(row.algorithm, row.arrivals, rendezvous), ElementsAreArray(row.exits))
        << row.algorithm;
  }
}

std::vector<double> numbers(std::string_view text) {
  std::vector<double> found;
  for (const std::string_view one : text::split(text, ' ')) {
    found.push_back(text::parse_number("a number", one));
  }
  return found;
}

// Four algorithms under arrivals up to 20 messages apart, with and without start-ups, by another
// program. Its numbers have ten digits.
TEST(Timing, ExitsOfAnIndependentSimulation) {
  std::ifstream table(GATHERBENCH_SOURCE "/tests/shared/exits_under_arrivals.csv");
  std::string line;
  std::getline(table, line);
  ASSERT_EQ(line, "algorithm,sends,alpha_us,arrivals_us,exits_us");
  int rows = 0;
  for (; std::getline(table, line); ++rows) {
    const std::vector<std::string> cells = text::csv_cells(line);
    const double alpha = numbers(cells[2]).front();
    const TimingModel model{{.alpha = alpha * 1e-6, .beta = (1 - alpha) * 1e-6},
                            cells[1] == "eager" ? Sends::eager : Sends::rendezvous};
    const std::vector<double> expected = numbers(cells[4]);
    const std::vector<double> exits = exits_of(cells[0], numbers(cells[3]), model);
    ASSERT_EQ(exits.size(), expected.size());
    for (std::size_t rank = 0; rank < exits.size(); ++rank) {
      EXPECT_NEAR(exits[rank], expected[rank], 1e-8) << line << " rank " << rank;
    }
  }
  EXPECT_EQ(rows, 124);
}

// Nobody waits without arrivals where all do alike, and the sum over the steps is the time.
TEST(Timing, IsHockneysForRanksThatComeTogether) {
  const Hockney model{.alpha = 3e-6, .beta = 1e-8, .tau = 1e-6};
  for (const bool runs : {false, true}) {
    TimingModel timing{model};
    if (!runs) timing.hockney.tau = 0;
    for (const std::string_view name :
         {"ring", "neighbor_exchange", "bruck", "bruck_in_place", "recursive_doubling",
          "recursive_halving", "sparbit", "spread", "shift", "pair"}) {
      const algorithms::Choice chosen = choice(name);
      const std::vector<double> arrivals = zeros(16);
      const std::vector<std::int64_t> bytes(16, 1000);
      const algorithms::Problem problem = problem_of(chosen, arrivals, bytes, model);
      const double hockney =
          hockney_seconds(port_uses(*chosen.algorithm, problem, runs), timing.hockney) * 1e6;
      const std::vector<double> exits = exits_of(name, arrivals, timing, bytes);
      EXPECT_NEAR(std::ranges::max(exits), hockney, 1e-9 * hockney) << name << runs;
    }
  }
}

/// Rank 0 sends one byte to each of these, in one step or in one after the other.
std::vector<Schedule> from_rank_0(int ranks, bool in_one_step) {
  std::vector<Schedule> schedules(static_cast<std::size_t>(ranks));
  if (in_one_step) schedules[0].begin_step();
  for (int to = 1; to < ranks; ++to) {
    if (!in_one_step) schedules[0].begin_step();
    schedules[0].send(to, {0, 1});
    Schedule& other = schedules[static_cast<std::size_t>(to)];
    other.begin_step();
    other.receive(0, {0, 1});
  }
  return schedules;
}

std::vector<double> exits_of(const std::vector<Schedule>& schedules,
                             const std::vector<double>& arrivals, const TimingModel& model) {
  return exits_us(schedules, messages::TransferBytes(static_cast<int>(schedules.size())),
                  {arrivals}, model);
}

// A late receiver holds its sender up only where sends wait for it.
TEST(Timing, EagerSendsDoNotWait) {
  const std::vector<Schedule> in_steps = from_rank_0(3, false);
  EXPECT_THAT(exits_of(in_steps, {0, 5, 0}, rendezvous), ElementsAre(7, 6, 7));
  // Both messages leave rank 0 one after the other; rank 1's is there when it comes.
  EXPECT_THAT(exits_of(in_steps, {0, 5, 0}, eager), ElementsAre(0, 5, 2));
  EXPECT_THAT(exits_of(in_steps, {4, 0, 0}, eager), ElementsAre(4, 5, 6));
}

TEST(Timing, APortCarriesOneMessageAtATime) {
  const std::vector<Schedule> together = from_rank_0(4, true);
  EXPECT_THAT(exits_of(together, zeros(4), rendezvous), ElementsAre(3, 1, 2, 3));
  EXPECT_THAT(exits_of(together, zeros(4), eager), ElementsAre(0, 1, 2, 3));
  // One that is not there yet holds no place in the queue.
  EXPECT_THAT(exits_of(together, {0, 1.5, 0, 0}, rendezvous), ElementsAre(3, 3, 1, 2));
  // Two senders to one receiver, which is there last.
  std::vector<Schedule> to_rank_2(3);
  to_rank_2[2].begin_step();
  for (const int from : {0, 1}) {
    to_rank_2[static_cast<std::size_t>(from)].begin_step();
    to_rank_2[static_cast<std::size_t>(from)].send(2, {from, 1});
    to_rank_2[2].receive(from, {from, 1});
  }
  EXPECT_THAT(exits_of(to_rank_2, {0, 0, 1}, rendezvous), ElementsAre(2, 3, 3));
  EXPECT_THAT(exits_of(to_rank_2, {0.5, 0, 1}, eager), ElementsAre(0.5, 0, 2));
}

TEST(Timing, ABarrierIsOverWhenTheLastOneComes) {
  std::vector<Schedule> schedules(2);
  for (Schedule& schedule : schedules) schedule.begin_step(true);
  schedules[0].send(1, {0, 1});
  schedules[1].receive(0, {0, 1});
  for (Schedule& schedule : schedules) schedule.begin_step(true);
  EXPECT_THAT(exits_of(schedules, {0, 4}, rendezvous), ElementsAre(5, 5));
  EXPECT_THAT(exits_of(schedules, {0, 4}, eager), ElementsAre(5, 5));
}

TEST(Timing, RefusesWhatNeverEnds) {
  std::vector<Schedule> schedules(2);  // each waits for the other's message before it sends
  for (const int rank : {0, 1}) {
    Schedule& schedule = schedules[static_cast<std::size_t>(rank)];
    schedule.begin_step();
    schedule.receive(1 - rank, {1 - rank, 1});
    schedule.begin_step();
    schedule.send(1 - rank, {rank, 1});
  }
  EXPECT_THROW(exits_of(schedules, {0, 0}, rendezvous), std::invalid_argument);
  EXPECT_THROW(exits_of(schedules, {0, 0}, eager), std::invalid_argument);
  schedules[0] = {};
  EXPECT_THROW(exits_of(schedules, {0, 0}, rendezvous), std::invalid_argument);
  EXPECT_THROW(exits_of("ring", {0, -1}, rendezvous), std::invalid_argument);
}

// The short cuts that save time or memory give the same as the simulation of every rank's queues.
TEST(Timing, ShortCutsAreExact) {
  for (const int ranks : {1, 2, 8, 16}) {
    const std::vector<double> arrivals = some_arrivals(ranks);
    for (const std::string_view name :
         {"ring", "neighbor_exchange", "bruck", "recursive_doubling", "sparbit", "shift", "pair",
          "linear", "pipelined_ring:segment=1"}) {
      const algorithms::Choice chosen = choice(name);
      algorithms::Problem problem = problem_of(chosen, arrivals, {}, byte_a_us);
      if (algorithms::why_not(*chosen.algorithm, problem)) continue;
      const std::vector<Schedule> all = algorithms::make_schedules(*chosen.algorithm, problem);
      for (const TimingModel& model : {rendezvous, eager}) {
        // No algorithm here has background steps, but they may not be left out unseen.
        EXPECT_THAT(exits_us(all, messages::TransferBytes(ranks), {arrivals, true}, model),
                    ElementsAreArray(exits_of(name, arrivals, model)))
            << name << ranks;
      }
    }
  }
}

// P = 8, 512K floats in all, a maximum delay from 5 to 500 ms: table 3 has 1.03, 1.07, 1.10, 1.13,
// 1.04. What an independent simulation has over 150 draws is of all that the model can do; the
// draws' share of the differences is 0.005.
TEST(Timing, GainsOfBdrAsInProficzTable3) {
  const TimingModel model{{.alpha = 50e-6, .beta = 8.48e-9}};
  const std::vector<std::int64_t> bytes(8, 262144);
  struct Row {
    std::string delay;
    double simulated;
    double measured;
  };
  const std::vector<Row> table{{"5ms", 1.014, 1.03},
                               {"10ms", 1.048, 1.07},
                               {"50ms", 1.112, 1.10},
                               {"100ms", 1.090, 1.13},
                               {"500ms", 1.028, 1.04}};
  for (const auto& [delay, simulated, measured] : table) {
    const auto pattern =
        arrivals::parse_arrivals("--arrival", "uniform:max=" + delay, nullptr).front();
    double bdr = 0;
    std::vector<double> regular(3, 0);
    for (std::uint64_t iteration = 0; iteration < 200; ++iteration) {
      const std::vector<double> arrivals = arrivals_us(pattern, 8, 1, iteration, 0);
      bdr += mean_elapsed(exits_of("bdr", arrivals, model, bytes), arrivals);
      for (std::size_t i = 0; const char* const name : {"ring", "neighbor_exchange", "bruck"}) {
        regular[i++] += mean_elapsed(exits_of(name, arrivals, model, bytes), arrivals);
      }
    }
    EXPECT_NEAR(std::ranges::min(regular) / bdr, simulated, 0.01) << delay;
    EXPECT_NEAR(std::ranges::min(regular) / bdr, measured, 0.045) << delay;
  }
}

/// Hosts 0 and 1 on one switch, 2 and 3 on another.
topology::SwitchTree two_switches() {
  return topology::SwitchTree::parse("test",
                                     "SwitchName=s0 Nodes=h[0-1]\nSwitchName=s1 Nodes=h[2-3]\n"
                                     "SwitchName=top Switches=s[0-1]\n");
}

TEST(Timing, MessagesShareLinks) {
  const topology::SwitchTree tree = two_switches();
  const std::vector<int> host{0, 1, 2, 3};
  std::vector<Schedule> schedules(4);  // 0 to 2, two bytes, and 1 to 3, one byte
  for (Schedule& schedule : schedules) schedule.begin_step();
  schedules[0].send(2, {0, 2});
  schedules[2].receive(0, {0, 2});
  schedules[1].send(3, {1, 1});
  schedules[3].receive(1, {1, 1});
  const TimingModel model{{.alpha = 1e-6, .beta = 1e-6}, Sends::rendezvous, &tree, host};
  // Half the link each until the short one is through, then the other byte alone.
  EXPECT_THAT(exits_of(schedules, zeros(4), model), ElementsAre(4, 3, 4, 3));
  // The second one comes when the first has one byte left.
  EXPECT_THAT(exits_of(schedules, {0, 1, 0, 0}, model), ElementsAre(4, 4, 4, 4));
  const std::vector<int> one_host{0, 0, 0, 0};
  EXPECT_THAT(exits_of(schedules, zeros(4), {model.hockney, Sends::eager, &tree, one_host}),
              ElementsAre(0, 0, 3, 2));
}

// Four ranks of one host; a message takes 1 us to start, and a byte has no network to pass.
TEST(Timing, MessagesWithinAHostShareItsMemory) {
  const topology::SwitchTree tree = two_switches();
  const std::vector<int> host{1, 1, 1, 1};
  const auto exits = [&](const std::vector<Schedule>& schedules,
                         const std::optional<HostMemory>& memory) {
    return exits_of(schedules, zeros(4),
                    {{.alpha = 1e-6, .beta = 1e-6}, Sends::rendezvous, &tree, host, memory});
  };
  const auto are = [](const std::vector<double>& us) {
    return testing::Pointwise(testing::DoubleNear(1e-9), us);
  };
  std::vector<Schedule> two_senders(4);  // 0 to 2, four bytes, and 1 to 3, two bytes
  for (Schedule& schedule : two_senders) schedule.begin_step();
  two_senders[0].send(2, {0, 4});
  two_senders[2].receive(0, {0, 4});
  two_senders[1].send(3, {1, 2});
  two_senders[3].receive(1, {1, 2});
  EXPECT_THAT(exits(two_senders, {}), are({5, 3, 5, 3}));
  // Each of two messages has one byte a us, until the short one is through; then the other has two.
  EXPECT_THAT(exits(two_senders, HostMemory{2e6, 2e6}), are({4, 3, 4, 3}));
  // Memory that is no limit: each copies by itself.
  EXPECT_THAT(exits(two_senders, HostMemory{2e6, 8e6}), are({3, 2, 3, 2}));

  std::vector<Schedule> one_sender(4);  // two bytes to 1, one byte to 2
  for (int rank = 0; rank < 3; ++rank) one_sender[static_cast<std::size_t>(rank)].begin_step();
  one_sender[0].send(1, {0, 2});
  one_sender[1].receive(0, {0, 2});
  one_sender[0].send(2, {0, 1});
  one_sender[2].receive(0, {0, 1});
  // Half of its byte a us for each, until the short one is through; then one byte is left. Without
  // a memory a rank copies at the bandwidth of a link.
  for (const std::optional<HostMemory>& memory :
       {std::optional<HostMemory>{}, std::optional(HostMemory{1e6, 8e6})}) {
    EXPECT_THAT(exits(one_sender, memory), are({4, 4, 3, 0}));
  }

  std::vector<Schedule> one_receiver(4);  // two bytes from 1, one byte from 2
  for (int rank = 0; rank < 3; ++rank) one_receiver[static_cast<std::size_t>(rank)].begin_step();
  one_receiver[1].send(0, {0, 2});
  one_receiver[0].receive(1, {0, 2});
  one_receiver[2].send(0, {2, 1});
  one_receiver[0].receive(2, {2, 1});
  for (const std::optional<HostMemory>& memory :
       {std::optional<HostMemory>{}, std::optional(HostMemory{1e6, 8e6})}) {
    EXPECT_THAT(exits(one_receiver, memory), are({4, 4, 3, 0}));
  }
}

// Steps of one message each way share no link there.
TEST(Timing, OneSwitchIsAsPorts) {
  const topology::SwitchTree tree =
      topology::SwitchTree::parse("test", "SwitchName=s Nodes=h[0-15]\n");
  std::vector<int> host(16);
  std::iota(host.begin(), host.end(), 0);
  const Hockney hockney{.alpha = 2e-7, .beta = 1e-6};
  const std::vector<double> arrivals = some_arrivals(16);
  for (const char* const name : {"ring", "neighbor_exchange", "bruck", "sparbit"}) {
    const std::vector<double> ports = exits_of(name, arrivals, {hockney});
    const std::vector<double> links =
        exits_of(name, arrivals, {hockney, Sends::rendezvous, &tree, host});
    for (std::size_t rank = 0; rank < ports.size(); ++rank) {
      EXPECT_NEAR(links[rank], ports[rank], 1e-9 * ports[rank]) << name;
    }
  }
}

}  // namespace
}  // namespace gatherbench::cost
