// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/trials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
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

TEST(Trials, FourNumbersOfRanksBeyondSixtyFourShareThem) {
  for (const char* const name : {"arrival_rings", "topology_ring"}) {
    const std::vector<std::string> all = texts(choice(name), 64);
    std::set<std::string> together;
    for (const int ranks : {65, 66, 67, 68}) {
      const std::vector<std::string> own = texts(choice(name), ranks);
      EXPECT_EQ(own.size(), 1U) << name << ", " << ranks;
      together.insert(own.begin(), own.end());
    }
    EXPECT_EQ(together, std::set(all.begin(), all.end())) << name;
  }
  EXPECT_THAT(texts(choice("ring"), 300), ElementsAre(""));
}

// It needs hosts on all switches, so that it runs in two of its four trials.
TEST(Trials, OnlyThoseInWhichItCanRunAreShared) {
  for (int ranks = 65; ranks < 71; ++ranks) {
    EXPECT_FALSE(texts(choice("topology_ring_two_hop"), ranks).empty()) << ranks;
  }
}

}  // namespace
}  // namespace gatherbench::proof
