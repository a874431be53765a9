// SPDX-License-Identifier: BSD-3-Clause
//
// All-to-alls: each is proven at each p, costs what its closed form says, and a fault that is
// planted in it is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/cost/cost.h"
#include "algorithms/proof/proof.h"
#include "algorithms/proof/trials.h"
#include "algorithms/topology/switch_tree.h"

namespace gatherbench::proof {
namespace {

using algorithms::Choice;
using algorithms::Schedule;
using collectives::alltoall;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Choice> all_of_them() {
  std::vector<Choice> found = algorithms::parse_algorithms("-a", "all", alltoall);
  std::erase_if(found, [](const Choice& one) { return one.algorithm->schedules() == nullptr; });
  return found;
}

Choice choice(std::string_view text) {
  return algorithms::parse_algorithms("-a", text, alltoall).front();
}

TEST(Alltoall, EveryAlgorithmIsProven) {
  for (const Choice& one : all_of_them()) {
    int proven = 0;
    for (int p = 1; p <= 40; ++p) {
      for (const Trial& trial : trials(one, p, nullptr)) {
        const algorithms::Problem problem = trial.problem(p);
        if (algorithms::why_not(*one.algorithm, problem)) continue;
        EXPECT_THAT(prove(*one.algorithm, problem).fault, IsEmpty())
            << one.label() << " at p = " << p << ", " << trial.text;
        ++proven;
      }
    }
    EXPECT_GE(proven, 5) << one.label();
  }
}

/// Seconds where a start-up is 1 s and a byte 1/1024 s.
double cost(std::string_view text, int ranks, std::int64_t bytes) {
  const Choice chosen = choice(text);
  const std::vector<std::int64_t> sizes(static_cast<std::size_t>(ranks * ranks), bytes);
  algorithms::Problem problem = algorithms::problem_for(chosen, ranks);
  problem.block_bytes = sizes;
  return cost::hockney_seconds(cost::port_uses(*chosen.algorithm, problem, true),
                               {.alpha = 1, .beta = 1.0 / 1024, .tau = 100});
}

TEST(Alltoall, CostsAreTheClosedForms) {
  constexpr std::int64_t c = 1024;
  for (const char* const name : {"linear", "spread", "shift", "pair", "shift_mpi_barrier"}) {
    EXPECT_DOUBLE_EQ(cost(name, 16, c), 15 * (1 + 1)) << name;
  }
  EXPECT_DOUBLE_EQ(cost("bruck", 16, c), 4 + 16.0 / 2 * 4);
  EXPECT_DOUBLE_EQ(cost("bruck:k=4", 16, c), 3 * 2 + 16.0 * 3 / 4 * 2);
  EXPECT_DOUBLE_EQ(cost("bruck:k=16", 16, c), 15 * (1 + 1));
  EXPECT_DOUBLE_EQ(cost("recursive_doubling", 16, c), 4 + 16.0 / 2 * 4);
  EXPECT_DOUBLE_EQ(cost("mesh2d", 12, c), (3 + 4 - 2) + (2 * 12 - 3 - 4));
  EXPECT_DOUBLE_EQ(cost("mesh3d", 12, c), (2 + 2 + 3 - 3) + (3 * 12 - 4 - 6 - 6));
}

std::vector<Schedule> schedules_of(const Choice& one, int ranks) {
  return algorithms::make_schedules(*one.algorithm, algorithms::problem_for(one, ranks));
}

/// Returns the schedule with other blocks in one send, or in the receive at its other end.
Schedule with_other_blocks(const Schedule& given, std::size_t in_step, int peer, int add,
                           int blocks, bool of_sends) {
  Schedule altered;
  for (std::size_t s = 0; s < given.steps(); ++s) {
    const algorithms::Step step = given.step(s);
    altered.begin_step(step.barrier);
    const auto copy = [&](const algorithms::TransferList::Transfers& transfers, bool sends) {
      for (std::size_t i = 0; i < transfers.size(); ++i) {
        const int other = transfers[i].peer;
        const bool wrong = s == in_step && other == peer && sends == of_sends;
        if (transfers[i].blocks.empty() && sends) altered.send_token(other);
        if (transfers[i].blocks.empty() && !sends) altered.receive_token(other);
        for (algorithms::BlockRange range : transfers[i].blocks) {
          if (wrong) range.first = (range.first + add) % blocks;
          if (sends) altered.send(other, range);
          if (!sends) altered.receive(other, range);
        }
      }
    };
    copy(step.sends, true);
    copy(step.receives, false);
  }
  return altered;
}

TEST(Alltoall, PlantedFaultsAreFound) {
  constexpr int p = 8;
  for (const Choice& one : all_of_them()) {
    if (one.algorithm->contention_free) continue;
    const Assumptions assumptions = assumptions_of(*one.algorithm, {});
    const std::vector<Schedule> right = schedules_of(one, p);
    ASSERT_THAT(prove(right, assumptions).fault, IsEmpty()) << one.label();
    const std::size_t last = right[3].steps() - 1;
    const int to = right[3].step(last).sends[0].peer;
    for (const int add : {1, p}) {  // for another rank, or of another rank
      std::vector<Schedule> faulty = right;
      faulty[3] = with_other_blocks(right[3], last, to, add, p * p, true);
      EXPECT_THAT(prove(faulty, assumptions).fault, testing::Not(IsEmpty())) << one.label();
      faulty[static_cast<std::size_t>(to)] =
          with_other_blocks(right[static_cast<std::size_t>(to)], last, 3, add, p * p, false);
      EXPECT_THAT(prove(faulty, assumptions).fault, testing::Not(IsEmpty())) << one.label();
    }
  }
}

/// Returns for each phase if a rank sends, and if it receives.
std::vector<std::pair<bool, bool>> busy_in(const Schedule& schedule) {
  std::vector<std::pair<bool, bool>> busy;
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    const algorithms::Step step = schedule.step(s);
    busy.emplace_back(!step.sends.empty(), !step.receives.empty());
  }
  return busy;
}

// Faraj 2006, 3.2.3.1, on the tree of his figure 3.2: in no phase do two ranks of a switch
// wait, one for something to send, the other one for something to receive.
TEST(Alltoall, DummiesKeepIdleRanksBusy) {
  constexpr int p = 6;
  const auto tree = topology::SwitchTree::parse(
      "tree",
      "SwitchName=s1 Switches=s0,s3 Nodes=n5\nSwitchName=s0 Nodes=n0 Switches=s2\n"
      "SwitchName=s2 Nodes=n1,n2\nSwitchName=s3 Nodes=n3,n4\n");
  std::vector<int> hosts;
  for (const char* const name : {"n0", "n1", "n2", "n3", "n4", "n5"}) {
    hosts.push_back(tree.find_host(name).value());
  }
  std::int64_t messages = 0;
  for (const char* const name : {"topology_phases", "topology_phases_dummy"}) {
    const Choice one = choice(name);
    algorithms::Problem problem = algorithms::problem_for(one, p);
    problem.network = &tree;
    problem.host = hosts;
    const ProofResult result = prove(*one.algorithm, problem);
    EXPECT_THAT(result.fault, IsEmpty()) << name;
    EXPECT_EQ(result.steps, 9) << name;
    EXPECT_GT(result.messages, messages) << name;
    messages = result.messages;
    int waiting = 0;
    const std::vector<Schedule> schedules = algorithms::make_schedules(*one.algorithm, problem);
    for (const auto& [a, b] : {std::pair{1, 2}, {3, 4}}) {
      const auto of_a = busy_in(schedules[static_cast<std::size_t>(a)]);
      const auto of_b = busy_in(schedules[static_cast<std::size_t>(b)]);
      for (std::size_t phase = 0; phase < of_a.size(); ++phase) {
        waiting += !of_a[phase].first && !of_b[phase].second;
        waiting += !of_b[phase].first && !of_a[phase].second;
      }
    }
    EXPECT_EQ(waiting == 0, one.algorithm->moves_twice) << name;
  }
}

/// Two ranks that exchange their blocks, then a token that rank 0 leaves.
std::vector<Schedule> with_token(bool taken) {
  std::vector<Schedule> schedules(2);
  for (int rank = 0; rank < 2; ++rank) {
    Schedule& schedule = schedules[static_cast<std::size_t>(rank)];
    const int peer = 1 - rank;
    schedule.begin_step();
    schedule.send(peer, {2 * rank + peer, 1});
    schedule.receive(peer, {2 * peer + rank, 1});
  }
  schedules[0].begin_leaving_step();
  schedules[0].send_token(1);
  if (taken) schedules[1].begin_step();
  if (taken) schedules[1].receive_token(0);
  return schedules;
}

TEST(Alltoall, ATokenThatIsLeftHasToBeTaken) {
  const Assumptions assumptions{.collective = &alltoall};
  EXPECT_THAT(prove(with_token(true), assumptions).fault, IsEmpty());
  EXPECT_EQ(prove(with_token(false), assumptions).fault,
            "rank 0 in step 1 sends a token that 1 never receives");
  std::vector<Schedule> none_sent = with_token(true);
  Schedule exchange;
  exchange.begin_step();
  exchange.send(1, {1, 1});
  exchange.receive(1, {2, 1});
  none_sent[0] = exchange;
  EXPECT_THAT(prove(none_sent, assumptions).fault, HasSubstr("waits for ever for 0 to send"));
  std::vector<Schedule> blocks = with_token(false);
  blocks[0].begin_leaving_step();
  blocks[0].send(1, {1, 1});
  EXPECT_THAT(prove(blocks, assumptions).fault, HasSubstr("leaves blocks on their way"));
}

// Whoever left a token does not wait for it to be taken: rank 0 would wait for rank 2, that for
// rank 1, and that for rank 0.
TEST(Alltoall, WhoLeavesATokenGoesOn) {
  constexpr int p = 3;
  const auto exchange = [](std::vector<Schedule>& all, int a, int b) {
    for (const auto& [rank, peer] : {std::pair{a, b}, std::pair{b, a}}) {
      Schedule& schedule = all[static_cast<std::size_t>(rank)];
      schedule.begin_step();
      schedule.send(peer, {rank * p + peer, 1});
      schedule.receive(peer, {peer * p + rank, 1});
    }
  };
  for (const bool leaves : {true, false}) {
    std::vector<Schedule> all(p);
    if (leaves) {
      all[0].begin_leaving_step();
    } else {
      all[0].begin_step();
    }
    all[0].send_token(2);
    exchange(all, 0, 1);
    exchange(all, 1, 2);
    all[2].begin_step();
    all[2].receive_token(0);
    exchange(all, 0, 2);
    EXPECT_EQ(prove(all, {.collective = &alltoall}).fault.empty(), leaves);
  }
}

}  // namespace
}  // namespace gatherbench::proof
