// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/trials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/schedule_of.h"

namespace gatherbench::proof {
namespace {

using testing::ElementsAre;

/// Returns the trials' texts, in the ranks' own order or in others.
std::vector<std::string> texts(const algorithms::Choice& choice, int ranks,
                               bool reordered = false) {
  std::vector<std::string> found;
  for (const Trial& trial : trials(choice, ranks, nullptr)) {
    if ((trial.choice.order != nullptr) == reordered) found.push_back(trial.text);
  }
  return found;
}

algorithms::Algorithm with(const algorithms::Parameters& parameters) {
  return {.name = "x", .summary = "", .source = "", .parameters = parameters};
}

constexpr algorithms::Parameter bytes{
    .name = "segment", .summary = "", .default_value = algorithms::Bytes{8}};
constexpr algorithms::Parameter count{.name = "ports",
                                      .summary = "",
                                      .default_value = algorithms::Count{1},
                                      .max_text = "2",
                                      .max = [](std::int64_t) -> std::int64_t { return 2; }};

TEST(Trials, EachValueOfAParameterWithEachOfTheOthers) {
  const algorithms::Algorithm two = with({bytes, count});
  EXPECT_THAT(texts(choice_of(two), 4),
              ElementsAre("segment=100, c=10, ports=1", "segment=100, c=10, ports=2",
                          "segment=4, c=10, ports=1", "segment=4, c=10, ports=2"));
}

TEST(Trials, OneAsTheUserGaveIt) { EXPECT_THAT(texts(choice("bruck:k=3x2"), 12), ElementsAre("")); }

TEST(Trials, EachOrderOfTheRanks) {
  EXPECT_THAT(
      texts(choice("bruck"), 12, true),
      ElementsAre("k=2, @switch, tree of switches, hosts of 3", "k=2, @node, nodes in disorder",
                  "k=2, @paired, unequal blocks", "k=2, @cyclic, nodes in disorder"));
  EXPECT_THAT(texts(choice("lane:inner=ring"), 12, true), ElementsAre());
  EXPECT_THAT(texts(choice("ring@cyclic"), 12), ElementsAre());
  EXPECT_EQ(texts(choice("ring@cyclic"), 12, true).size(), 6U);
}

TEST(Trials, EachRootAlsoWhereTheUserSaysWhereRanksLie) {
  const algorithms::Choice flat =
      algorithms::parse_algorithms("--algorithms", "flat", collectives::bcast).front();
  const algorithms::Placement given = algorithms::pretended_placement(4, 2, nullptr);
  std::vector<int> roots;
  for (const Trial& trial : trials(flat, 4, &given)) {
    EXPECT_EQ(trial.placement.node, given.node);
    roots.push_back(trial.problem(4).root);
  }
  EXPECT_THAT(roots, ElementsAre(0, 1, 2, 3));
}

// Factors for what depends on them, any lengths for what takes its numbers in turn.
TEST(Trials, Lists) {
  const algorithms::Algorithm factors =
      with({{.name = "factors", .summary = "", .default_value = algorithms::Numbers{}, .min = 2}});
  EXPECT_THAT(
      texts(choice_of(factors), 12),
      ElementsAre("factors=auto", "factors=2x2x3", "factors=2x6", "factors=3x2x2", "factors=12"));
  EXPECT_THAT(texts(choice("bruck"), 12),
              ElementsAre("k=2", "k=3", "k=4", "k=7", "k=10", "k=3x2", "k=2x5x3"));
}

/// Returns how often each trial is drawn among these numbers of ranks.
std::map<std::string, int> draws(const char* name, const std::vector<int>& numbers) {
  std::map<std::string, int> times;
  for (const int ranks : numbers) {
    for (const Trial& trial : drawn(trials(choice(name), ranks, nullptr), ranks)) {
      ++times[trial.text];
    }
  }
  return times;
}

// What numbers of ranks have in common, such as a factor, decides none of their trials.
TEST(Trials, AllAreDrawnAmongNumbersOfRanksOfEachRemainder) {
  for (const char* const name : {"topology_ring", "arrival_rings", "leader", "bruck"}) {
    std::size_t all = 0;
    for (int remainder = 0; remainder < 8; ++remainder) {
      std::vector<int> numbers;
      for (int ranks = 104 + remainder; ranks <= 304; ranks += 8) numbers.push_back(ranks);
      const std::map<std::string, int> times = draws(name, numbers);
      if (remainder == 0) all = times.size();
      EXPECT_GE(all, 2U);
      EXPECT_EQ(times.size(), all) << name << ", p = " << remainder << " modulo 8";
    }
  }
}

TEST(Trials, FewAreDrawnFromThoseInWhichItCanRun) {
  EXPECT_EQ(drawn(trials(choice("leader"), 150, nullptr), 150).size(), 1U);
  EXPECT_EQ(drawn(trials(choice("ring"), 150, nullptr), 150).size(), 1U);
  for (int ranks = 65; ranks < 90; ++ranks) {  // it needs hosts on all switches: two of four trials
    const std::vector<Trial> few =
        drawn(trials(choice("topology_ring_two_hop"), ranks, nullptr), ranks);
    ASSERT_EQ(few.size(), 1U) << ranks;
    EXPECT_FALSE(why_not(*few.front().choice.algorithm, few.front().problem(ranks)).has_value())
        << ranks;
  }
  EXPECT_TRUE(drawn(trials(choice("neighbor_exchange"), 151, nullptr), 151).empty());
}

TEST(Trials, AllAreDrawnOfFewRanksAndPowersOfTwo) {
  for (const int ranks : {2, 63, 64, 128, 1024}) {
    const std::vector<Trial> all = trials(choice("leader"), ranks, nullptr);
    EXPECT_EQ(drawn(all, ranks).size(), all.size()) << ranks;
  }
}

}  // namespace
}  // namespace gatherbench::proof
