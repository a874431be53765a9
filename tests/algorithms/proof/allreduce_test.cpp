// SPDX-License-Identifier: BSD-3-Clause
//
// All-reduces: what the proof allows where ranks keep what they send, and what it finds. Patterns
// and costs as in the papers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/cost/timing.h"
#include "algorithms/proof/proof.h"
#include "algorithms/registry.h"
#include "algorithms/topology/switch_tree.h"
#include "tools/allgather_schedule/common/show_schedule.h"

namespace gatherbench::proof {
namespace {

using algorithms::Incoming;
using algorithms::Schedule;
using testing::HasSubstr;

constexpr algorithms::BlockRange vector{0, 1};

algorithms::Choice allreduce(std::string_view text) {
  return algorithms::parse_algorithms("--algorithms", text, collectives::allreduce).front();
}

std::string fault_of(const std::vector<Schedule>& schedules, bool keeps_order = false) {
  return prove(schedules, {.collective = &collectives::allreduce, .keeps_order = keeps_order})
      .fault;
}

void send(std::vector<Schedule>& schedules, int from, int to, Incoming incoming) {
  schedules[static_cast<std::size_t>(from)].begin_step();
  schedules[static_cast<std::size_t>(from)].send(to, vector);
  schedules[static_cast<std::size_t>(to)].begin_step();
  schedules[static_cast<std::size_t>(to)].receive(from, vector, incoming);
}

/// Two ranks exchange their vectors.
void exchange(std::vector<Schedule>& schedules, int lower, int upper, Incoming of_upper) {
  const Incoming of_lower =
      of_upper == Incoming::combine_before ? Incoming::combine_behind : Incoming::combine_before;
  for (const int rank : {lower, upper}) {
    Schedule& one = schedules[static_cast<std::size_t>(rank)];
    one.begin_step();
    one.send(lower + upper - rank, vector);
    one.receive(lower + upper - rank, vector, rank == lower ? of_lower : of_upper);
  }
}

TEST(AllreduceProof, WhatIsSentIsKept) {
  std::vector<Schedule> schedules(2);
  exchange(schedules, 0, 1, Incoming::combine_before);
  EXPECT_EQ(fault_of(schedules, true), "");
  // The block is gone in a reduction.
  EXPECT_EQ(prove(schedules, {.collective = &collectives::reduce}).fault,
            "rank 0 in step 0 sends and receives block 0");
}

TEST(AllreduceProof, WhatWasSentMayBeReplacedByTheResult) {
  std::vector<Schedule> schedules(3);
  send(schedules, 2, 0, Incoming::combine_behind);
  send(schedules, 1, 0, Incoming::combine_behind);
  send(schedules, 0, 1, Incoming::store);
  send(schedules, 0, 2, Incoming::store);
  EXPECT_EQ(fault_of(schedules), "");
}

TEST(AllreduceProof, WhatWasNotSentIsNotReplaced) {
  std::vector<Schedule> schedules(2);
  send(schedules, 0, 1, Incoming::store);
  EXPECT_EQ(fault_of(schedules), "rank 1 in step 0 receives block 0 from 0 a second time");
}

TEST(AllreduceProof, EachContributionIsCombinedOnce) {
  std::vector<Schedule> schedules(2);
  exchange(schedules, 0, 1, Incoming::combine_before);
  exchange(schedules, 0, 1, Incoming::combine_before);
  EXPECT_EQ(fault_of(schedules),
            "rank 0 in step 1 combines in block 0 the contribution of rank 0 a second time");
}

TEST(AllreduceProof, EveryRankNeedsTheContributionsOfAll) {
  std::vector<Schedule> schedules(3);
  send(schedules, 1, 0, Incoming::combine_behind);
  send(schedules, 2, 0, Incoming::combine_behind);
  send(schedules, 0, 1, Incoming::store);
  EXPECT_EQ(fault_of(schedules), "rank 2 ends without the contributions of all ranks to block 0");
}

TEST(AllreduceProof, WhatIsSentIsNotWrittenMeanwhile) {
  std::vector<Schedule> schedules(2);
  for (const int rank : {0, 1}) {
    Schedule& one = schedules[static_cast<std::size_t>(rank)];
    one.begin_step();
    one.send(1 - rank, vector);
    one.receive(1 - rank, vector, Incoming::store);
  }
  EXPECT_THAT(fault_of(schedules), HasSubstr("receives block 0 from 1 a second time"));
}

TEST(AllreduceProof, TheOrderOfRanksIsLookedAtWhereItMatters) {
  std::vector<Schedule> schedules(2);
  exchange(schedules, 0, 1, Incoming::combine_behind);
  EXPECT_EQ(fault_of(schedules), "");
  EXPECT_THAT(fault_of(schedules, true),
              HasSubstr("combines in block 0 those up to rank 1 and those from rank 0 on"));
}

TEST(OrderOfRanks, IsKeptWhereTheRowSaysSo) {
  for (const algorithms::Algorithm* const one :
       algorithms::algorithms_of(&collectives::allreduce)) {
    if (one->schedules() == nullptr) continue;
    algorithms::Problem problem = algorithms::problem_for(algorithms::choice_of(*one), 6);
    EXPECT_EQ(algorithms::why_not(*one, problem), std::nullopt) << one->name;
    problem.commutes = false;
    EXPECT_EQ(algorithms::why_not(*one, problem).value_or("none"),
              one->name == "recursive_doubling" || one->name == "allgather_reduce"
                  ? "none"
                  : "needs an operator that commutes");
    // The proof agrees with the row.
    const auto schedules = algorithms::make_schedules(*one, problem);
    EXPECT_EQ(fault_of(schedules, true).empty(), one->keeps_order) << one->name;
    EXPECT_EQ(fault_of(schedules), "") << one->name;
  }
}

std::string shown(std::string_view text, int ranks, int rank) {
  const algorithms::Choice chosen = allreduce(text);
  algorithms::Problem problem = algorithms::problem_for(chosen, ranks);
  problem.rank = rank;
  return allgather_schedule::show_text({std::string(chosen.algorithm->name),
                                        collectives::allreduce,
                                        ranks,
                                        rank,
                                        {algorithms::make_schedule(*chosen.algorithm, problem)},
                                        {}});
}

// Thakur et al. 2005, 4.5: ranks that are too many for a power of two fold in and out.
TEST(AllreducePatterns, RecursiveDoubling) {
  EXPECT_EQ(shown("recursive_doubling", 3, 0),
            "recursive_doubling, 3 ranks, rank 0\n"
            "step 0: sends nothing; receives {0} from 1 (combined)\n"
            "step 1: sends {0} to 2; receives {0} from 2 (combined)\n"
            "step 2: sends {0} to 1; receives nothing\n");
  EXPECT_EQ(shown("recursive_doubling", 3, 1),
            "recursive_doubling, 3 ranks, rank 1\n"
            "step 0: sends {0} to 0; receives nothing\n"
            "step 1: sends nothing; receives {0} from 0\n");
}

TEST(AllreducePatterns, Ring) {
  EXPECT_EQ(shown("ring", 3, 0),
            "ring, 3 ranks, rank 0\n"
            "step 0: sends {2} to 1; receives {1} from 2 (combined)\n"
            "step 1: sends {1} to 1; receives {0} from 2 (combined)\n"
            "step 2: sends {0} to 1; receives {2} from 2\n"
            "step 3: sends {2} to 1; receives {1} from 2\n");
}

TEST(AllreducePatterns, Rabenseifner) {
  EXPECT_EQ(shown("rabenseifner", 4, 1),
            "rabenseifner, 4 ranks, rank 1\n"
            "step 0: sends {2-3} to 3; receives {0-1} from 3 (combined)\n"
            "step 1: sends {0} to 0; receives {1} from 0 (combined)\n"
            "step 2: sends {1} to 0; receives {0} from 0\n"
            "step 3: sends {0-1} to 3; receives {2-3} from 3\n");
}

// Faraj 2006, 4.3.1.1: Rab2-(ring, LR).
TEST(AllreducePatterns, AlltoallAndAllgather) {
  EXPECT_EQ(shown("alltoall_allgather", 3, 0),
            "alltoall_allgather, 3 ranks, rank 0\n"
            "step 0: sends {1} to 1; receives {0} from 2 (combined)\n"
            "step 1: sends {2} to 2; receives {0} from 1 (combined)\n"
            "step 2: sends {0} to 1; receives {2} from 2\n"
            "step 3: sends {2} to 1; receives {1} from 2\n");
}

TEST(AllreducePatterns, AllgatherAndReduce) {
  EXPECT_EQ(shown("allgather_reduce:inner=ring", 3, 0),
            "allgather_reduce, 3 ranks, rank 0\n"
            "step 0: sends {0} to 1; receives {2} from 2\n"
            "step 1: sends {2} to 1; receives {1} from 2\n"
            "then each rank combines all blocks, in the order of ranks\n");
}

// A rank that is folded in is no member of the all-gather, but barriers are for all.
TEST(AllreducePatterns, WhoIsOutMeetsTheBarriers) {
  EXPECT_EQ(shown("rabenseifner:inner=shift_mpi_barrier", 5, 1),
            "rabenseifner, 5 ranks, rank 1\n"
            "step 0: sends {0-3} to 0; receives nothing\n"
            "step 1, after a barrier: sends nothing; receives nothing\n"
            "step 2, after a barrier: sends nothing; receives nothing\n"
            "step 3: sends nothing; receives {0-3} from 0\n");
}

// Members of the all-gather are found on their hosts.
TEST(AllreducePatterns, ARingOverTheSwitchesIsInner) {
  const auto tree = std::make_shared<const topology::SwitchTree>(topology::SwitchTree::parse(
      "test", "SwitchName=a Nodes=h[0-1] Switches=b\nSwitchName=b Nodes=h[2-3]\n"));
  for (const std::string_view text :
       {"rabenseifner:inner=topology_ring", "alltoall_allgather:inner=topology_ring",
        "allgather_reduce:inner=topology_ring"}) {
    const algorithms::Choice chosen = allreduce(text);
    algorithms::Problem problem = algorithms::problem_for(chosen, 4);
    EXPECT_EQ(algorithms::why_not(*chosen.algorithm, problem).value_or("none"),
              "topology_ring needs a switch tree: --topology FILE");
    const std::vector<int> host{0, 2, 1, 3};
    problem.network = tree.get();
    problem.host = host;
    EXPECT_EQ(prove(*chosen.algorithm, problem).fault, "") << text;
    const Schedule one = algorithms::make_schedule(*chosen.algorithm, problem);
    EXPECT_EQ(one.step(one.steps() - 1).sends[0].peer, 2) << text;  // on the same switch
  }
}

TEST(AllreduceProof, WhatIsCombinedAtTheEndAreTheContributionsOfAll) {
  const algorithms::Choice chosen = allreduce("allgather_reduce:inner=ring");
  const algorithms::Problem problem = algorithms::problem_for(chosen, 3);
  std::vector<Schedule> schedules = algorithms::make_schedules(*chosen.algorithm, problem);
  EXPECT_EQ(fault_of(schedules, true), "");
  EXPECT_EQ(prove(schedules).fault, "rank 0 combines, and there is nothing to combine");
  schedules[1].own_contribution = 0;
  EXPECT_EQ(fault_of(schedules),
            "rank 1 combines 3 contributions, of which block 0 is its own, among 3 ranks");
  schedules[1] = schedules[0];
  schedules[1].contributions = 0;
  EXPECT_EQ(fault_of(schedules), "rank 1 has another kind of schedule than rank 0");
}

// What combines at the end says so in its row, which prices it.
TEST(AllreduceProof, RowsSayWhoCombinesAtTheEnd) {
  for (const algorithms::Algorithm& one : algorithms::all_algorithms()) {
    const algorithms::Problem problem = algorithms::problem_for(algorithms::choice_of(one), 4);
    if (one.schedules() == nullptr || algorithms::why_not(one, problem)) continue;
    EXPECT_EQ(algorithms::make_schedule(one, problem).contributions, one.combines_at_end ? 4 : 0)
        << one.name;
  }
}

TEST(AllreducePatterns, ClairvoyantIsTheReductionAndABroadcast) {
  EXPECT_EQ(shown("clairvoyant:segments=2", 2, 1),
            "clairvoyant, 2 ranks, rank 1\n"
            "step 0: sends {0} to 0; receives {1} from 0 (combined)\n"
            "step 1: sends {1} to 0; receives nothing\n"
            "step 2: sends nothing; receives {0-1} from 0\n");
}

// One schedule is what all of them are made of.
TEST(AllreduceClairvoyant, OneByOneIsAsTogether) {
  const algorithms::Choice chosen = allreduce("clairvoyant:segments=5");
  const std::vector<double> arrivals{0, 3, 1, 7, 2, 2};
  algorithms::Problem problem = algorithms::problem_for(chosen, 6);
  problem.arrival_us = arrivals;
  problem.message_us = problem.start_us = 1;
  const auto all = algorithms::make_schedules(*chosen.algorithm, problem);
  for (problem.rank = 0; problem.rank < 6; ++problem.rank) {
    EXPECT_TRUE(all[static_cast<std::size_t>(problem.rank)] ==
                algorithms::make_schedule(*chosen.algorithm, problem))
        << problem.rank;
  }
}

double us_of(std::string_view text, int p, std::int64_t bytes) {
  const algorithms::Choice chosen = allreduce(text);
  algorithms::Problem problem = algorithms::problem_for(chosen, p);
  const std::vector<std::int64_t> sizes{bytes};
  problem.block_bytes = sizes;
  const std::vector<double> arrivals(static_cast<std::size_t>(p), 0);
  const cost::TimingModel model{{.alpha = 1e-5, .beta = 1e-9, .gamma = 2e-9}};
  return std::ranges::max(
      exits_us(messages::CompactSchedules::of(*chosen.algorithm, problem), {arrivals}, model));
}

// Thakur et al. 2005, 4.5, of a power of two; alpha 10 us, beta 1 ns, gamma 2 ns a byte.
TEST(AllreduceTimes, AreThoseOfThePapers) {
  EXPECT_NEAR(us_of("recursive_doubling", 8, 1000), 3 * (10 + 1 + 2), 1e-6);
  const double share = 7.0 / 8 * 8;  // us of the segments of 8000 bytes that a rank sends once
  EXPECT_NEAR(us_of("ring", 8, 8000), 2 * 7 * 10 + 2 * share + 2 * share, 1e-6);
  EXPECT_NEAR(us_of("rabenseifner", 8, 8000), 2 * 3 * 10 + 2 * share + 2 * share, 1e-6);
  EXPECT_NEAR(us_of("alltoall_allgather", 8, 8000), 2 * 7 * 10 + 2 * share + 2 * share, 1e-6);
  EXPECT_NEAR(us_of("allgather_reduce", 8, 1000), 3 * 10 + 7 * 1 + 7 * 2, 1e-6);
}

}  // namespace
}  // namespace gatherbench::proof
