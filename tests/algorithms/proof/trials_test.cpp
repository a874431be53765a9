// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/trials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gatherbench::proof
