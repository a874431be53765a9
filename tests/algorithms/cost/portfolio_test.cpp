// SPDX-License-Identifier: BSD-3-Clause
//
// The portfolio by the model that it chooses by: never behind what it chooses from, and what it is
// where it is known which is best.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/cost/exit_times.h"
#include "algorithms/cost/timing.h"
#include "algorithms/messages/compact_schedules.h"
#include "tests/schedule_of.h"

namespace gatherbench::cost {
namespace {

using algorithms::Schedule;
using Times = std::vector<double>;

/// Ranks that arrive, and messages of 1 us, of which a share is the same for every size.
struct Situation {
  Times arrivals;
  double share = 0;
  std::vector<std::int64_t> block_bytes;
  Sends sends = Sends::rendezvous;

  Situation(Times times, double start_share, std::int64_t bytes = 64)
      : arrivals(std::move(times)), share(start_share), block_bytes(arrivals.size(), bytes) {}

  [[nodiscard]] int ranks() const { return static_cast<int>(arrivals.size()); }
  [[nodiscard]] TimingModel model() const {
    const double mean = std::reduce(block_bytes.begin(), block_bytes.end(), 0.0) / ranks();
    return {.hockney = {.alpha = share * 1e-6, .beta = (1 - share) * 1e-6 / mean}, .sends = sends};
  }
  [[nodiscard]] algorithms::Problem problem(const algorithms::Choice& choice) const {
    algorithms::Problem problem = algorithms::problem_for(choice, ranks());
    problem.block_bytes = block_bytes;
    problem.arrival_us = arrivals;
    problem.message_us = 1;
    problem.start_us = share;
    return problem;
  }
};

constexpr std::string_view candidates[] = {"ring",
                                           "neighbor_exchange",
                                           "bruck",
                                           "bdr",
                                           "clairvoyant:segments=1",
                                           "clairvoyant:segments=2",
                                           "clairvoyant:segments=4",
                                           "arrival_rings"};

double mean(const Times& times) {
  return std::reduce(times.begin(), times.end()) / static_cast<double>(times.size());
}

/// Infinite where it cannot run.
double mean_exit(std::string_view algorithm, const Situation& situation) {
  const algorithms::Choice chosen = choice(algorithm);
  algorithms::Problem problem = situation.problem(chosen);
  const algorithms::ExitTimes predicted = exit_times(situation.model());
  problem.exits_us = &predicted;
  if (!reason_unusable(*chosen.algorithm, problem).empty()) return INFINITY;
  return mean(exits_us(messages::CompactSchedules::of(*chosen.algorithm, problem),
                       {situation.arrivals, chosen.algorithm->uses_arrivals}, situation.model()));
}

/// Of all ranks, by the times of messages.
std::vector<Schedule> schedules(
    std::string_view algorithm, const Situation& situation,
    const algorithms::ExitTimes* predicted = &exit_times_of_messages()) {
  const algorithms::Choice chosen = choice(algorithm);
  algorithms::Problem problem = situation.problem(chosen);
  problem.exits_us = predicted;
  return make_schedules(*chosen.algorithm, problem);
}

/// Which blocks go when to whom, wherever whole blocks are said to be segments.
std::vector<Schedule> without_segmentation(std::vector<Schedule> schedules) {
  for (Schedule& one : schedules) one.segmentation = {};
  return schedules;
}

class Draws {
 public:
  Times arrivals(int ranks, double most) {
    Times times;
    for (int rank = 0; rank < ranks; ++rank) times.push_back(number() * most);
    return times;
  }
  std::vector<std::int64_t> blocks(int ranks) {
    std::vector<std::int64_t> bytes{64};  // not all empty
    while (std::ssize(bytes) < ranks) bytes.push_back(static_cast<std::int64_t>(number() * 300));
    return bytes;
  }

 private:
  double number() { return static_cast<double>(random_() % 4096) / 4096; }
  std::mt19937 random_{1};
};

TEST(Portfolio, IsNeverBehindWhatItChoosesFrom) {
  Draws draws;
  std::map<std::string_view, int> alone;  // the best one, how often
  for (int p = 2; p <= 17; ++p) {
    for (const double most : {0.0, 2.0, 1.0 * p, 4.0 * p}) {
      for (const double share : {0.0, 0.3, 0.8}) {
        for (const bool is_equal : {true, false}) {
          Situation situation(draws.arrivals(p, most), share);
          if (!is_equal) situation.block_bytes = draws.blocks(p);
          situation.sends = p % 3 == 0 ? Sends::eager : Sends::rendezvous;
          const double its = mean_exit("portfolio", situation);
          std::map<double, std::string_view> best;
          for (const std::string_view one : candidates) {
            const double time = mean_exit(one, situation);
            ASSERT_LE(its, time * (1 + 1e-8))
                << one << " p=" << p << " within " << most << " alpha " << share;
            best.emplace(time, one);
          }
          ASSERT_NEAR(its, best.begin()->first, 1e-8 * its);  // it is one of them
          if (std::next(best.begin())->first > its * 1.001) ++alone[best.begin()->second];
        }
      }
    }
  }
  // Each way of sending was worth choosing somewhere.
  for (const std::string_view one : {"bruck", "arrival_rings", "clairvoyant:segments=1",
                                     "clairvoyant:segments=2", "clairvoyant:segments=4"}) {
    EXPECT_GT(alone[one], 0) << one;
  }
}

TEST(Portfolio, IsNeverBehindArrivalRings) {
  Draws draws;
  int ahead = 0;
  for (const int p : {1, 2, 3, 4, 5, 7, 8, 64}) {
    for (const double most : {0.0, 0.5, 2.0}) {
      for (const double share : {0.0, 0.3, 0.9}) {
        const Situation situation(draws.arrivals(p, most * p), share);
        const double its = mean_exit("portfolio", situation);
        const double rings = mean_exit("arrival_rings", situation);
        EXPECT_LE(its, rings * (1 + 1e-8)) << "p=" << p << " within " << most << "p, " << share;
        if (its < rings * (1 - 1e-8)) ++ahead;
      }
    }
  }
  EXPECT_GT(ahead, 0);
}

TEST(Portfolio, IsOfUpTo128Ranks) {
  const algorithms::Choice chosen = choice("portfolio");
  EXPECT_EQ(reason_unusable(*chosen.algorithm, algorithms::problem_for(chosen, 128)), "");
  EXPECT_NE(reason_unusable(*chosen.algorithm, algorithms::problem_for(chosen, 1024)), "");
}

TEST(Portfolio, IsBruckWhereMessagesAreSmall) {
  for (const int p : {5, 8, 17}) {
    const Situation situation(Times(static_cast<std::size_t>(p), 0.0), 0.9);
    EXPECT_EQ(without_segmentation(schedules("portfolio", situation)),
              schedules("bruck_in_place", situation));
  }
}

TEST(Portfolio, IsClairvoyantWhereARankIsLate) {
  Times arrivals(8, 0.0);
  arrivals[5] = 12;
  EXPECT_EQ(schedules("portfolio", {arrivals, 0.01}),
            schedules("clairvoyant:segments=4", {arrivals, 0.01}));
  EXPECT_EQ(schedules("portfolio", {arrivals, 0.5}),
            schedules("clairvoyant:segments=1", {arrivals, 0.5}));
  // A block of three bytes has no four segments, but two.
  EXPECT_EQ(schedules("portfolio", {arrivals, 0, 3}),
            schedules("clairvoyant:segments=2", {arrivals, 0, 3}));
}

TEST(Portfolio, IsTheRingWhereNothingIsBetterOrKnown) {
  const Situation at_once(Times(6, 0.0), 0);
  const Situation late(Times{0, 0, 0, 9, 0, 0}, 0.3);
  const std::vector<Schedule> ring = schedules("ring", at_once);
  EXPECT_EQ(without_segmentation(schedules("portfolio", at_once)), ring);
  EXPECT_NE(without_segmentation(schedules("portfolio", late)), ring);
  EXPECT_EQ(without_segmentation(schedules("portfolio", late, nullptr)), ring);
  const algorithms::Choice chosen = choice("portfolio");
  algorithms::Problem problem = algorithms::problem_for(chosen, 6);
  problem.exits_us = &exit_times_of_messages();
  EXPECT_EQ(without_segmentation(make_schedules(*chosen.algorithm, problem)), ring);
}

TEST(Portfolio, EachRankMakesTheSameChoice) {
  Draws draws;
  const algorithms::Choice chosen = choice("portfolio");
  for (const double share : {0.0, 0.3}) {
    const Situation situation(draws.arrivals(7, 6), share);
    const std::vector<Schedule> all = schedules("portfolio", situation);
    algorithms::Problem problem = situation.problem(chosen);
    problem.exits_us = &exit_times_of_messages();
    for (problem.rank = 0; problem.rank < 7; ++problem.rank) {
      EXPECT_EQ(make_schedule(*chosen.algorithm, problem),
                all[static_cast<std::size_t>(problem.rank)]);
    }
  }
}

TEST(Portfolio, GoesByTheTimesThatTheUserGives) {
  const algorithms::Choice chosen = choice("portfolio:alpha=20us:tau=1ms");
  const algorithms::Problem problem = algorithms::problem_for(chosen, 4);
  EXPECT_EQ(problem.start_us, 20);
  EXPECT_EQ(problem.message_us, 1000);
  EXPECT_FALSE(needs_start_time(chosen));
  EXPECT_TRUE(needs_start_time(choice("portfolio")));
  EXPECT_TRUE(needs_start_time(choice("portfolio:alpha=measured")));
  EXPECT_FALSE(needs_start_time(choice("bdr")));
}

// A byte takes 1 us of the 4 that a block of mean size does, and a message 2 more.
TEST(ExitTimes, OfUnequalBlocks) {
  Situation situation({0, 10}, 0);
  situation.block_bytes = {1, 3};
  algorithms::Problem problem = situation.problem(choice("ring"));
  problem.message_us = 4;
  problem.start_us = 2;
  const std::vector<Schedule> ring = schedules("ring", situation);
  const Times exits = exit_times_of_messages()(ring, problem);
  EXPECT_NEAR(exits[0], 15, 1e-9);
  EXPECT_NEAR(exits[1], 15, 1e-9);
  problem.message_us = 1;  // measured as less than that of no bytes
  EXPECT_NEAR(exit_times_of_messages()(ring, problem)[0], 12, 1e-9);
}

}  // namespace
}  // namespace gatherbench::cost
