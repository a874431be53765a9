// SPDX-License-Identifier: BSD-3-Clause
//
// Into how many segments clairvoyant cuts blocks by itself, against all that could be asked for, by
// the model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "algorithms/arrival_aware/clairvoyant_plan.h"
#include "tests/algorithms/cost/situation.h"

namespace gatherbench::cost {
namespace {

constexpr std::int64_t block_bytes = 65536;

/// Draws of a pattern.
using Pattern = std::vector<Times>;

double elapsed(const std::string& algorithm, const Pattern& pattern, double share) {
  double sum = 0;
  for (const Times& arrivals : pattern) {
    sum += mean_exit(algorithm, Situation(arrivals, share, block_bytes)) - mean(arrivals);
  }
  return sum;
}

std::int64_t best_segments(const algorithms::Problem& problem) {
  return algorithms::best_clairvoyant_plan(problem, 0, 0).segments;
}

/// Uniform within p/2 messages, within 2p; one rank late by p.
std::vector<Pattern> patterns(int ranks) {
  Draws draws;
  Times one_late(static_cast<std::size_t>(ranks), 0.0);
  one_late[1] = ranks;
  Pattern near;
  Pattern far;
  for (int draw = 0; draw < 4; ++draw) {
    near.push_back(draws.arrivals(ranks, ranks / 2.0));
    far.push_back(draws.arrivals(ranks, 2.0 * ranks));
  }
  return {near, far, {one_late}};
}

/// The least with any of these numbers.
double least_elapsed(std::initializer_list<int> segments, const Pattern& pattern, double share) {
  double least = INFINITY;
  for (const int count : segments) {
    least =
        std::min(least, elapsed("clairvoyant:segments=" + std::to_string(count), pattern, share));
  }
  return least;
}

TEST(ClairvoyantSegments, AreNearlyTheBest) {
  std::set<std::int64_t> chosen;
  for (const int ranks : {2, 3, 8, 16}) {
    for (const double share : {0.01, 0.05, 0.13, 0.3}) {
      for (const Pattern& pattern : patterns(ranks)) {
        EXPECT_LE(elapsed("clairvoyant", pattern, share),
                  1.05 * least_elapsed({1, 2, 3, 4, 6, 8, 12, 16, 32}, pattern, share))
            << ranks << " " << share;
        const Situation situation(pattern[0], share, block_bytes);
        chosen.insert(best_segments(situation.problem(choice("clairvoyant"))));
      }
    }
  }
  EXPECT_THAT(chosen, testing::IsSupersetOf({1, 2, 4, 8}));
}

// So many ranks would take too long with all numbers of segments.
TEST(ClairvoyantSegments, AreNearlyTheBestOfManyRanks) {
  for (const double share : {0.01, 0.13}) {
    for (const Pattern& pattern : patterns(64)) {
      const Pattern first{pattern[0]};
      EXPECT_LE(elapsed("clairvoyant", first, share),
                1.05 * least_elapsed({1, 2, 4, 8}, first, share))
          << share;
    }
  }
}

// The slots are the model that the number is chosen by.
TEST(ClairvoyantSegments, SlotsEndWhenTheModelSays) {
  for (const int ranks : {5, 8}) {
    for (const double share : {0.0, 0.13}) {
      for (const Pattern& pattern : patterns(ranks)) {
        const Situation situation(pattern[0], share, block_bytes);
        for (const int segments : {1, 2, 4}) {
          const std::string algorithm = "clairvoyant:segments=" + std::to_string(segments);
          const double mean_us =
              algorithms::clairvoyant_plan(situation.problem(choice(algorithm)), segments, 0, 0)
                  .mean_exit_us;
          EXPECT_NEAR(mean_us, mean_exit(algorithm, situation), 0.06 * mean_us)
              << algorithm << " " << ranks << " " << share;
        }
      }
    }
  }
}

// A plan takes time of each message of all ranks.
TEST(ClairvoyantSegments, AreFewerWithManyRanks) {
  const std::map<int, std::int64_t> most{{2, 32},  {4, 16},  {16, 4},  {256, 4},
                                         {257, 2}, {512, 2}, {513, 1}, {1024, 1}};
  for (const auto& [ranks, segments] : most) {
    const Situation situation(Times(static_cast<std::size_t>(ranks), 0.0), 0.0, block_bytes);
    EXPECT_EQ(algorithms::segments_to_try(situation.problem(choice("clairvoyant"))).back(),
              segments)
        << ranks;
  }
}

TEST(ClairvoyantSegments, AreNotMoreThanElements) {
  Times arrivals(8, 0.0);
  arrivals[5] = 12;
  const Situation situation(arrivals, 0.0, 8);
  algorithms::Problem problem = situation.problem(choice("clairvoyant"));
  EXPECT_EQ(best_segments(problem), 8);
  problem.element_bytes = 4;
  EXPECT_EQ(best_segments(problem), 2);
  problem.element_bytes = 8;
  EXPECT_EQ(best_segments(problem), 1);
}

}  // namespace
}  // namespace gatherbench::cost
