// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions: what the proof finds, and when Marendic et al. 2016 say that ranks are through.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/cost/timing.h"
#include "algorithms/proof/proof.h"
#include "algorithms/registry.h"

namespace gatherbench::proof {
namespace {

using algorithms::Incoming;
using algorithms::Schedule;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr algorithms::BlockRange vector{0, 1};

algorithms::Choice reduction(std::string_view text) {
  return algorithms::parse_algorithms("--algorithms", text, collectives::reduce).front();
}

std::string fault_of(const std::vector<Schedule>& schedules, bool keeps_order = false) {
  return prove(schedules, {.collective = &collectives::reduce, .keeps_order = keeps_order}).fault;
}

/// Two ranks send their vectors to rank 0, one after the other.
std::vector<Schedule> one_by_one(int first, Incoming of_first, Incoming of_second) {
  std::vector<Schedule> schedules(3);
  for (const int rank : {first, 3 - first}) {
    schedules[0].begin_step();
    schedules[0].receive(rank, vector, rank == first ? of_first : of_second);
    schedules[static_cast<std::size_t>(rank)].begin_step();
    schedules[static_cast<std::size_t>(rank)].send(0, vector);
  }
  return schedules;
}

TEST(ReductionProof, WhatAllContributeIsWhole) {
  EXPECT_EQ(fault_of(one_by_one(1, Incoming::combine_behind, Incoming::combine_behind)), "");
  EXPECT_EQ(fault_of(one_by_one(2, Incoming::combine_behind, Incoming::combine_behind)), "");
}

TEST(ReductionProof, ARankThatIsNeverHeardIsMissed) {
  std::vector<Schedule> schedules(3);
  schedules[0].begin_step();
  schedules[0].receive(1, vector, Incoming::combine_behind);
  schedules[1].begin_step();
  schedules[1].send(0, vector);
  EXPECT_EQ(fault_of(schedules), "rank 0 ends without the contributions of all ranks to block 0");
}

TEST(ReductionProof, StoringWantsAnEmptyPlace) {
  EXPECT_THAT(fault_of(one_by_one(1, Incoming::store, Incoming::combine_behind)),
              HasSubstr("rank 0 in step 0 receives block 0 from 1 a second time"));
}

TEST(ReductionProof, WhatWasSentIsGone) {
  std::vector<Schedule> schedules(3);
  for (const int to : {2, 0}) {
    schedules[1].begin_step();
    schedules[1].send(to, vector);
    schedules[static_cast<std::size_t>(to)].begin_step();
    schedules[static_cast<std::size_t>(to)].receive(1, vector, Incoming::combine_before);
  }
  EXPECT_EQ(fault_of(schedules), "rank 1 in step 1 sends block 0 to 0 but does not hold it");
}

TEST(ReductionProof, CombiningWantsSomethingToCombineWith) {
  std::vector<Schedule> schedules(2);
  schedules[1].begin_step();
  schedules[1].send(0, vector);
  schedules[0].begin_step();
  schedules[0].receive(1, vector, Incoming::combine_behind);
  schedules[0].begin_step();
  schedules[0].send(1, vector);
  schedules[1].begin_step();
  schedules[1].receive(0, vector, Incoming::combine_before);
  EXPECT_EQ(fault_of(schedules), "rank 1 in step 1 combines block 0 from 0 with nothing");
}

TEST(ReductionProof, ASegmentIsNotSentAndReceivedAtOnce) {
  std::vector<Schedule> schedules(2);
  for (const int rank : {0, 1}) {
    schedules[static_cast<std::size_t>(rank)].begin_step();
    schedules[static_cast<std::size_t>(rank)].send(1 - rank, vector);
    schedules[static_cast<std::size_t>(rank)].receive(1 - rank, vector, Incoming::combine_before);
  }
  EXPECT_EQ(fault_of(schedules), "rank 0 in step 0 sends and receives block 0");
}

TEST(ReductionProof, TheOrderOfRanksIsLookedAtWhereItMatters) {
  const auto behind = Incoming::combine_behind;
  EXPECT_EQ(fault_of(one_by_one(1, behind, behind), true), "");
  EXPECT_EQ(fault_of(one_by_one(2, behind, behind), true),
            "rank 0 in step 0 combines in block 0 those up to rank 0 and those from rank 2 on, "
            "which are no neighbours");
  EXPECT_THAT(fault_of(one_by_one(1, Incoming::combine_before, behind), true),
              HasSubstr("those up to rank 1 and those from rank 0 on"));
}

TEST(ReductionProof, AnAllGatherCombinesNothing) {
  std::vector<Schedule> schedules(2);
  schedules[1].begin_step();
  schedules[1].send(0, {1, 1});
  schedules[0].begin_step();
  schedules[0].receive(1, {1, 1}, Incoming::combine_behind);
  EXPECT_EQ(prove(schedules).fault, "rank 0 in step 0 combines, and there is nothing to combine");
}

/// Lists a rank's segments step by step: which comes in from which rank, and which goes out to
/// which, as "I1.0 O2.1".
std::string moves(const Schedule& schedule) {
  std::string text;
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    const algorithms::Step step = schedule.step(s);
    if (s > 0) text += ", ";
    for (std::size_t i = 0; i < step.receives.size(); ++i) {
      text += "I" + std::to_string(step.receives[i].peer) + "." +
              std::to_string(step.receives[i].blocks[0].first);
    }
    for (std::size_t i = 0; i < step.sends.size(); ++i) {
      text += "O" + std::to_string(step.sends[i].peer) + "." +
              std::to_string(step.sends[i].blocks[0].first);
    }
  }
  return text;
}

algorithms::Problem problem_in_rounds(const algorithms::Choice& chosen,
                                      const std::vector<double>& arrivals, int root) {
  algorithms::Problem problem = algorithms::problem_for(chosen, static_cast<int>(arrivals.size()));
  problem.root = root;
  problem.arrival_us = arrivals;
  problem.message_us = problem.start_us = 1;
  return problem;
}

/// Returns exits where a message of any size takes a microsecond, one round.
std::vector<double> exits(std::string_view text, const std::vector<double>& arrivals,
                          int root = 0) {
  const algorithms::Choice chosen = reduction(text);
  const algorithms::Problem problem = problem_in_rounds(chosen, arrivals, root);
  const cost::TimingModel model{{.alpha = 1e-6, .beta = 0}};
  return exits_us(messages::CompactSchedules::of(*chosen.algorithm, problem), {arrivals}, model);
}

// Table 2 of the paper but for its round 3, whose order of ranks is another.
TEST(Clairvoyant, MovesAsTheWorkedExampleDoes) {
  const algorithms::Choice chosen = reduction("clairvoyant:segments=4");
  const auto all =
      algorithms::make_schedules(*chosen.algorithm, problem_in_rounds(chosen, {0, 0, 0, 0}, 0));
  EXPECT_EQ(moves(all[0]), "I1.0O1.1, I2.0O2.2, I1.1O1.3, I2.2, I1.3");
  EXPECT_EQ(moves(all[1]), "I0.1O0.0, I3.1O3.2, I0.3O0.1, I3.3, O0.3");
  EXPECT_EQ(moves(all[2]), "I3.0O3.1, I0.2O0.0, I3.2O3.3, O0.2");
  EXPECT_EQ(moves(all[3]), "I2.1O2.0, I1.2O1.1, I2.3O2.2, O1.3");
}

TEST(Clairvoyant, LeavesWhenTheOraclesSay) {
  EXPECT_THAT(exits("clairvoyant:segments=4", {0, 0}), ElementsAre(4, 4));
  EXPECT_THAT(exits("clairvoyant:segments=4", {0, 0, 0}), ElementsAre(5, 4, 5));
  EXPECT_THAT(exits("clairvoyant:segments=1", {0, 0, 0, 0}), ElementsAre(2, 1, 2, 1));
  EXPECT_THAT(exits("clairvoyant:segments=4", {0, 0, 0, 0}), ElementsAre(5, 5, 4, 4));
  EXPECT_THAT(exits("clairvoyant:segments=4", {0, 0, 0, 5}), ElementsAre(9, 4, 5, 9));
  EXPECT_THAT(exits("clairvoyant:segments=4", {5, 0, 0, 0}), ElementsAre(9, 9, 4, 5));
  EXPECT_THAT(exits("clairvoyant:segments=2", {0, 3, 0, 3}), ElementsAre(6, 5, 2, 6));
  EXPECT_THAT(exits("clairvoyant:segments=3", {0, 2, 4, 6, 8}), ElementsAre(11, 6, 8, 10, 11));
  EXPECT_THAT(exits("clairvoyant:segments=1", {0, 0, 0, 0, 0, 0, 0, 0}),
              ElementsAre(3, 1, 2, 1, 3, 1, 2, 1));
  // Ranks that come at one time stand in another order if the root is another one.
  const auto last = [](const std::vector<double>& times) { return std::ranges::max(times); };
  EXPECT_EQ(last(exits("clairvoyant:segments=2", {0, 0, 0, 9, 0, 0, 4, 0}, 3)), 11);
  EXPECT_EQ(last(exits("clairvoyant:segments=3", {0, 0, 5, 0, 0, 0, 0}, 5)), 8);
}

TEST(Clairvoyant, TakesAsManyRoundsAsItsPaper) {
  for (int p = 2; p <= 128; p *= 2) {
    for (const int segments : {1, 2, 16, 64}) {
      const auto times = exits("clairvoyant:segments=" + std::to_string(segments),
                               std::vector<double>(static_cast<std::size_t>(p), 0));
      EXPECT_EQ(std::ranges::max(times), std::log2(p) + segments - 1) << p << " " << segments;
    }
  }
  // The time is not always the least: 12 would be.
  EXPECT_EQ(std::ranges::max(exits("clairvoyant:segments=8", std::vector<double>(21, 0))), 13);
}

// Any rank, the root too: N rounds after it has come. A binomial tree takes three whole vectors.
TEST(Clairvoyant, ARankThatIsLateByMoreIsWaitedForOnly) {
  for (std::size_t late = 0; late < 8; ++late) {
    std::vector<double> arrivals(8, 0);
    arrivals[late] = 20;
    EXPECT_EQ(std::ranges::max(exits("clairvoyant:segments=4", arrivals)), 24) << late;
  }
  std::vector<double> arrivals(128, 0);
  arrivals[127] = 60e3 / 643;  // rounds; the paper's check of 40 MiB
  const double last = std::ranges::max(exits("clairvoyant:segments=40", arrivals));
  EXPECT_NEAR(last, 60e3 / 643 + 40, 1);
}

TEST(Clairvoyant, DependsOnDifferencesOfArrivalsOnly) {
  const algorithms::Choice chosen = reduction("clairvoyant:segments=4");
  EXPECT_EQ(
      algorithms::make_schedules(*chosen.algorithm, problem_in_rounds(chosen, {0, 3, 1, 7, 2}, 0)),
      algorithms::make_schedules(*chosen.algorithm,
                                 problem_in_rounds(chosen, {50, 53, 51, 57, 52}, 0)));
}

// One schedule is what all of them are made of.
TEST(Clairvoyant, OneByOneIsAsTogether) {
  const algorithms::Choice chosen = reduction("clairvoyant:segments=5");
  const std::vector<double> arrivals{0, 3, 1, 7, 2, 2};
  for (const int root : {0, 3}) {
    algorithms::Problem problem = problem_in_rounds(chosen, arrivals, root);
    const auto all = algorithms::make_schedules(*chosen.algorithm, problem);
    for (problem.rank = 0; problem.rank < 6; ++problem.rank) {
      const Schedule& one = all[static_cast<std::size_t>(problem.rank)];
      const Schedule alone = algorithms::make_schedule(*chosen.algorithm, problem);
      EXPECT_EQ(moves(alone), moves(one)) << problem.rank << " " << root;
      EXPECT_TRUE(alone == one) << problem.rank << " " << root;
    }
  }
}

TEST(Clairvoyant, IsTheBinomialTreeInOnePiece) {
  const algorithms::Choice one = reduction("clairvoyant:segments=1");
  const algorithms::Choice tree = reduction("binomial");
  for (const int p : {2, 4, 8, 16}) {
    const std::vector<double> arrivals(static_cast<std::size_t>(p), 0);
    EXPECT_EQ(exits("clairvoyant:segments=1", arrivals), exits("binomial", arrivals)) << p;
  }
}

/// Table 3 of Marendic et al.: balanced, with the model of CURIE.
constexpr double alpha = 2.66e-6;
constexpr double beta = 4.8179e-10;
constexpr double gamma_ = 1.6654e-10;

double curie_us(std::string_view text, int p, std::int64_t bytes) {
  const algorithms::Choice chosen = reduction(text);
  algorithms::Problem problem = algorithms::problem_for(chosen, p);
  const std::vector<std::int64_t> sizes{bytes};
  problem.block_bytes = sizes;
  const std::vector<double> arrivals(static_cast<std::size_t>(p), 0);
  const cost::TimingModel model{{.alpha = alpha, .beta = beta, .gamma = gamma_}};
  return std::ranges::max(
      exits_us(messages::CompactSchedules::of(*chosen.algorithm, problem), {arrivals}, model));
}

TEST(ReductionTimes, AreThoseOfTable3) {
  constexpr int p = 128;
  constexpr double n = 7;
  for (const std::int64_t bytes : {std::int64_t{128} << 10, std::int64_t{4} << 20}) {
    const auto m = static_cast<double>(bytes);
    const double share = (p - 1.0) / p * m;
    const auto near = [](double us, double seconds) {
      return testing::Value(us, testing::DoubleNear(seconds * 1e6, seconds * 1e6 * 1e-9));
    };
    EXPECT_TRUE(near(curie_us("binomial", p, bytes), n * (alpha + m * (beta + gamma_))));
    EXPECT_TRUE(
        near(curie_us("butterfly", p, bytes), 2 * n * alpha + 2 * share * beta + share * gamma_));
    EXPECT_TRUE(near(curie_us("parallel_ring", p, bytes),
                     (p - 1 + n) * alpha + share * (2 * beta + gamma_)));
    EXPECT_TRUE(near(curie_us("radix_k:k=4x4x8", p, bytes),
                     (3 + 3 + 7 + n) * alpha + share * (2 * beta + gamma_)));
    const double round = alpha + m / 16 * (beta + gamma_);
    EXPECT_TRUE(near(curie_us("linear_pipeline:segments=16", p, bytes), (p - 2 + 16) * round));
    // The paper counts a round of combination more: on the longest way the root takes back once
    // what it had given away, and only stores it.
    EXPECT_TRUE(
        near(curie_us("clairvoyant:segments=16", p, bytes), (n + 15) * round - m / 16 * gamma_));
    // The paper's formula takes the best number of segments; here a tree's height more or less.
    const double two_tree = 1e-6 * curie_us("two_tree:segments=64", p, bytes);
    const double bound = 4 * (n - 1) * alpha + 4 * std::sqrt((n - 1) * alpha * beta * m / 2) +
                         m * beta + 2 * m * gamma_;
    EXPECT_LT(two_tree, 2.5 * bound);
    EXPECT_GT(two_tree, m * (beta + gamma_));
  }
}

TEST(RadixK, TakesNumbersWhoseProductIsP) {
  const algorithms::Choice chosen = reduction("radix_k:k=4x2");
  EXPECT_EQ(algorithms::why_not(*chosen.algorithm, algorithms::problem_for(chosen, 8)),
            std::nullopt);
  EXPECT_EQ(algorithms::why_not(*chosen.algorithm, algorithms::problem_for(chosen, 6)),
            "needs numbers k whose product is the number of ranks; ranks = 6");
}

TEST(OrderOfRanks, IsNeededByOperatorsThatDoNotCommute) {
  for (const algorithms::Algorithm* const one : algorithms::algorithms_of(&collectives::reduce)) {
    if (one->schedules() == nullptr) continue;
    algorithms::Problem problem = algorithms::problem_for(algorithms::choice_of(*one), 8);
    EXPECT_EQ(algorithms::why_not(*one, problem), std::nullopt) << one->name;
    problem.commutes = false;
    EXPECT_EQ(!algorithms::why_not(*one, problem).has_value(), one->keeps_order) << one->name;
    problem.root = 3;
    EXPECT_NE(algorithms::why_not(*one, problem), std::nullopt) << one->name;
  }
}

}  // namespace
}  // namespace gatherbench::proof
