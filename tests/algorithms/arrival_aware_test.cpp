// SPDX-License-Identifier: BSD-3-Clause
//
// bdr against its published listing, line by line, and what both algorithms that know arrivals do
// in the background.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "algorithms/segments.h"
#include "tests/schedule_of.h"
#include "tools/allgather_schedule/common/show_schedule.h"

namespace gatherbench::algorithms {
namespace {

Schedule schedule_at(std::string_view text, int rank, std::span<const double> arrival_us,
                     double message_us = 0) {
  const Choice chosen = choice(text);
  Problem problem = problem_for(chosen, static_cast<int>(arrival_us.size()));
  problem.rank = rank;
  problem.arrival_us = arrival_us;
  if (message_us > 0) problem.message_us = message_us;
  return make_schedule(*chosen.algorithm, problem);
}

std::string steps_text(const Schedule& schedule) {
  return allgather_schedule::show_text({"", collectives::allgather, 0, 0, {schedule}, {}});
}

/// Proficz 2021, listing 2, lines 22 to 45, as it stands there: every step of every rank, of which
/// the empty ones are then left out.
std::vector<Schedule> listing_2(const std::vector<double>& a, double tau) {
  const int p = static_cast<int>(a.size());
  const auto at = [](auto& values, int i) -> auto& { return values[static_cast<std::size_t>(i)]; };
  struct Action {
    int send_to = -1;
    int sent = -1;
    int receive_from = -1;
    int received = -1;
  };
  std::vector<int> pa(a.size());
  std::iota(pa.begin(), pa.end(), 0);
  std::ranges::stable_sort(pa, [&](int x, int y) { return at(a, x) > at(a, y); });
  std::vector<int> pre;
  for (const double time : a) {
    pre.push_back(static_cast<int>(std::floor((std::ranges::max(a) - time) / tau)));
  }
  const int most = std::ranges::max(pre);
  std::vector<std::vector<Action>> plan(a.size());
  for (auto& steps : plan) steps.resize(static_cast<std::size_t>(most) + a.size());
  std::vector<int> sent(a.size(), 0);
  for (int s = 0; s < most; ++s) {
    for (const int r : pa) {
      const int rc = (r - 1 - at(sent, r) + p) % p;
      if (at(pre, r) >= most - s && at(sent, r) < p - 1 && at(at(plan, rc), s).receive_from == -1) {
        at(at(plan, r), s).send_to = rc;
        at(at(plan, r), s).sent = r;
        at(at(plan, rc), s).receive_from = r;
        at(at(plan, rc), s).received = r;
        ++at(sent, r);
      }
    }
  }
  for (int i = 0; i < p; ++i) {
    const int rc = (i + 1) % p;
    for (int j = 0; j < p; ++j) {
      const int seg = (i - j + p) % p;
      if (at(sent, seg) + j >= p - 1) continue;
      at(at(plan, i), most + j).send_to = rc;
      at(at(plan, i), most + j).sent = seg;
      at(at(plan, rc), most + j).receive_from = i;
      at(at(plan, rc), most + j).received = seg;
    }
  }
  std::vector<Schedule> schedules(a.size());
  for (int r = 0; r < p; ++r) {
    for (const Action& action : at(plan, r)) {
      if (action.send_to < 0 && action.receive_from < 0) continue;
      at(schedules, r).begin_step();
      if (action.send_to >= 0) at(schedules, r).send(action.send_to, {action.sent, 1});
      if (action.receive_from >= 0) {
        at(schedules, r).receive(action.receive_from, {action.received, 1});
      }
    }
  }
  return schedules;
}

TEST(Bdr, IsTheListing) {
  std::mt19937 random(1);
  for (int p = 2; p <= 29; ++p) {
    for (const double spread : {0.5, 2.0, 5.0, 1.0 * p, 3.0 * p, 1.0 * p * p}) {
      for (const bool whole : {false, true}) {  // whole numbers: many arrive together
        std::vector<double> arrivals;
        for (int rank = 0; rank < p; ++rank) {
          const double time = static_cast<double>(random() % 100000) / 1e5 * spread;
          arrivals.push_back(whole ? std::floor(time) : time);
        }
        const std::vector<Schedule> expected = listing_2(arrivals, 0.7);
        const Problem problem{.ranks = p, .arrival_us = arrivals, .message_us = 0.7};
        const std::vector<Schedule> all = make_schedules(*find_algorithm("bdr"), problem);
        for (int rank = 0; rank < p; ++rank) {
          ASSERT_EQ(steps_text(schedule_at("bdr", rank, arrivals, 0.7)),
                    steps_text(expected[static_cast<std::size_t>(rank)]))
              << "p=" << p << " spread=" << spread << " rank=" << rank;
          ASSERT_EQ(all[static_cast<std::size_t>(rank)], schedule_at("bdr", rank, arrivals, 0.7))
              << "p=" << p << " spread=" << spread << " rank=" << rank;
        }
      }
    }
  }
}

// Figure 4(b): rank 0 is late by two messages, and is done in one step when it comes.
TEST(Bdr, IsTheFigure) {
  const std::vector<double> arrivals{26, 0, 0, 0};
  const auto shown = [&](int rank) { return steps_text(schedule_at("bdr", rank, arrivals, 13)); };
  EXPECT_EQ(shown(0),
            ", 0 ranks, rank 0\n"
            "step 0: sends nothing; receives {1} from 1\n"
            "step 1: sends nothing; receives {2} from 2\n"
            "step 2: sends {0} to 1; receives {3} from 3\n");
  EXPECT_EQ(shown(1),
            ", 0 ranks, rank 0\n"
            "step 0: sends {1} to 0; receives {2} from 2\n"
            "step 1: sends {1} to 3; receives {3} from 3\n"
            "step 2: sends {1} to 2; receives {0} from 0\n"
            "step 3: sends {0} to 2; receives nothing\n");
  EXPECT_EQ(steps_text(schedule_at("bdr:tau=13us", 0, arrivals)), shown(0));
  EXPECT_EQ(schedule_at("bdr", 0, arrivals, 13).background_steps(), 2U);
  EXPECT_EQ(schedule_at("bdr", 1, arrivals, 13).background_steps(), 0U);
}

TEST(Bdr, IsTheRingWhereNothingCanBeSentAhead) {
  const std::vector<double> equal(7, 5.0);
  const std::vector<double> nearly{0, 0.9, 0.3, 0.1, 0, 0.2, 0.99};
  for (int rank = 0; rank < 7; ++rank) {
    const std::string ring = steps_text(schedule_of("ring", rank, 7));
    EXPECT_EQ(steps_text(schedule_of("bdr", rank, 7)), ring);
    EXPECT_EQ(steps_text(schedule_at("bdr", rank, equal, 1)), ring);
    EXPECT_EQ(steps_text(schedule_at("bdr", rank, nearly, 1)), ring);
    EXPECT_EQ(steps_text(schedule_at("bdr", rank, nearly, 0)), ring);  // no time of a message
  }
}

// The work is bounded by p^2 whatever the number of pre-steps.
TEST(Bdr, WaitsForEverInNoTime) {
  std::vector<double> arrivals(64, 0.0);
  arrivals[3] = 1e300;
  arrivals[9] = 1e15;
  const Schedule late = schedule_at("bdr", 3, arrivals, 1e-300);
  // All have sent to all when it comes: it only sends, round the ring.
  EXPECT_EQ(late.background_steps(), 63U);
  EXPECT_EQ(late.steps(), 64U);
}

TEST(Bslb, AsksInTheOrderOfArrival) {
  const std::vector<double> arrivals{9, 3, 1, 2};
  const auto shown = [&](int rank) {
    return steps_text(schedule_at("bslb:head=1", rank, arrivals));
  };
  EXPECT_EQ(shown(0),
            ", 0 ranks, rank 0\n"
            "step 0: sends {} to 2; receives {2} from 2\n"
            "step 1: sends {} to 3; receives {3} from 3\n"
            "step 2: sends {} to 1; receives {1} from 1\n"
            "then MPI_Bcast of all blocks from rank 0\n");
  EXPECT_EQ(shown(2),
            ", 0 ranks, rank 0\n"
            "step 0: sends nothing; receives {} from 0\n"
            "step 1: sends {2} to 0; receives nothing\n"
            "then MPI_Bcast of all blocks from rank 0\n");
  // Rank 0's part needs no block of its own, the others' begins with being asked.
  EXPECT_EQ(schedule_at("bslb", 0, arrivals).background_steps(), 3U);
  EXPECT_EQ(schedule_at("bslb", 2, arrivals).background_steps(), 1U);
}

TEST(Bslb, TakesTheLongPartWhileItAsksTheNext) {
  const Choice chosen = choice("bslb");
  const std::vector<std::int64_t> bytes{5000, 5000, 1024, 5000};  // rank 2 has a short part alone
  Problem problem = problem_for(chosen, 4);
  problem.block_bytes = bytes;
  EXPECT_EQ(steps_text(make_schedule(*chosen.algorithm, problem)),
            ", 0 ranks, rank 0\n"
            "step 0: sends {} to 1; receives {2} from 1\n"
            "step 1: sends {} to 2; receives {4} from 2, {3} from 1\n"
            "step 2: sends {} to 3; receives {5} from 3\n"
            "step 3: sends nothing; receives {6} from 3\n"
            "then MPI_Bcast of all blocks from rank 0\n");
}

TEST(Segments, TheLastOfSoManyHasAllThatIsLeft) {
  const std::vector<std::int64_t> blocks{0, 3, 4, 5, 100};
  EXPECT_EQ(cut(blocks, {4, 2}).bytes, (std::vector<std::int64_t>{0, 3, 4, 4, 1, 4, 96}));
  EXPECT_EQ(cut(blocks, {4, 2}).first, (std::vector<int>{0, 1, 2, 3, 5, 7}));
  EXPECT_EQ(cut(blocks, {40, 0}).bytes, (std::vector<std::int64_t>{0, 3, 4, 5, 40, 40, 20}));
}

// Whole elements, in segments of as many bytes as 64 bits can count, or nearly so.
TEST(Segments, OneMayBeAsLongAsCanBeCounted) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t longest = most / 8 * 8;
  const std::vector<std::int64_t> blocks{24, 0, longest};
  for (const std::int64_t bytes : {most, most - 1, longest, longest - 1}) {
    EXPECT_EQ(cut(blocks, {.bytes = bytes, .unit = 8}).bytes, blocks) << bytes;
    EXPECT_EQ(cut(blocks, {.bytes = bytes, .max_segments = 2, .unit = 8}).bytes, blocks) << bytes;
  }
  EXPECT_EQ(cut(blocks, {.bytes = longest - 9, .unit = 8}).bytes,
            (std::vector<std::int64_t>{24, 0, longest - 8, 8}));
  EXPECT_EQ(cut(blocks, {.bytes = most}).bytes, blocks);
}

TEST(Segments, EachBlockInAsManyNearEqualOnes) {
  const std::vector<std::int64_t> blocks{0, 2, 3, 8};
  const Segments segments = cut(blocks, {.near_equal = 3});
  EXPECT_EQ(segments.bytes, (std::vector<std::int64_t>{0, 0, 0, 1, 1, 0, 1, 1, 1, 3, 3, 2}));
  EXPECT_EQ(segments.first, (std::vector<int>{0, 3, 6, 9, 12}));
}

TEST(Schedule, BackgroundEndsWithTheOwnBlockOrABarrier) {
  Schedule schedule;
  EXPECT_EQ(schedule.background_steps(), 0U);
  schedule.begin_step();
  schedule.receive(1, {1, 1});
  schedule.begin_step();
  schedule.send_token(1);
  schedule.receive(3, {4, 3});
  EXPECT_EQ(schedule.background_steps(), 2U);
  schedule.begin_step();
  schedule.send(2, {4, 2});
  schedule.send(3, {1, 1});
  schedule.receive(3, {2, 2});
  schedule.begin_step();
  schedule.send(3, {1, 6});  // in three pieces
  EXPECT_EQ(schedule.background_steps(), 4U);
  schedule.begin_step();
  schedule.send_token(1);
  schedule.send(2, {0, 2});
  EXPECT_EQ(schedule.background_steps(), 4U);
  schedule = {};
  schedule.begin_step();
  schedule.send(2, {1, 1});  // that comes in just then
  schedule.receive(1, {1, 1});
  EXPECT_EQ(schedule.background_steps(), 0U);
  schedule = {};
  schedule.begin_step(true);
  EXPECT_EQ(schedule.background_steps(), 0U);
}

/// A simulation of when ranks leave, where each message takes 1 as soon as both ends have come to
/// it, and steps in the background need no arrival.
class Timed {
 public:
  Timed(std::vector<Schedule> schedules, std::vector<double> arrivals)
      : schedules_(std::move(schedules)), arrivals_(std::move(arrivals)), at_(arrivals_.size()) {
    for (std::size_t r = 0; r < arrivals_.size(); ++r) {
      background_.push_back(schedules_[r].background_steps());
      begin(r, 0);
    }
  }
  std::vector<double> exits() {
    const std::size_t ranks = arrivals_.size();
    for (bool moves = true; moves;) {
      moves = false;
      for (std::size_t r = 0; r < ranks; ++r) {
        At& at = at_[r];
        if (at.step < schedules_[r].steps() && pass(r)) moves = true;
        if (at.step < schedules_[r].steps() && at.sent && at.received) {
          ++at.step;
          begin(r, std::max(at.end, at.begin));
          moves = true;
        }
      }
    }
    std::vector<double> left;
    for (std::size_t r = 0; r < ranks; ++r) {
      EXPECT_EQ(at_[r].step, schedules_[r].steps()) << "rank " << r << " waits for ever";
      left.push_back(std::max(at_[r].begin, arrivals_[r]));
    }
    return left;
  }

 private:
  struct At {
    std::size_t step = 0;
    double begin = 0;
    double end = 0;
    bool sent = true;
    bool received = true;
  };
  void begin(std::size_t r, double time) {
    At& at = at_[r];
    at.begin = at.step < background_[r] ? time : std::max(time, arrivals_[r]);
    at.end = at.begin;
    if (at.step == schedules_[r].steps()) return;
    const Step step = schedules_[r].step(at.step);
    EXPECT_LE(std::max(step.sends.size(), step.receives.size()), 1U);
    at.sent = step.sends.empty();
    at.received = step.receives.empty();
  }
  bool pass(std::size_t r) {
    At& at = at_[r];
    if (at.sent) return false;
    const Transfer sent = schedules_[r].step(at.step).sends[0];
    const auto peer = static_cast<std::size_t>(sent.peer);
    At& other = at_[peer];
    if (other.received || other.step == schedules_[peer].steps()) return false;
    const Transfer received = schedules_[peer].step(other.step).receives[0];
    if (received.peer != static_cast<int>(r)) return false;
    EXPECT_EQ(sent.blocks[0].first, received.blocks[0].first);
    const double end = std::max(at.begin, other.begin) + 1;
    at.end = std::max(at.end, end);
    other.end = std::max(other.end, end);
    at.sent = other.received = true;
    return true;
  }
  std::vector<Schedule> schedules_;
  std::vector<double> arrivals_;
  std::vector<At> at_;
  std::vector<std::size_t> background_;
};

/// Returns exits in times of a block's message, with blocks in so many parts.
std::vector<double> exits(const std::string& text, const std::vector<double>& arrivals, int parts) {
  const Choice chosen = choice(text);
  const std::vector<std::int64_t> bytes(arrivals.size(), 4L * parts);
  Problem problem = problem_for(chosen, static_cast<int>(arrivals.size()));
  problem.block_bytes = bytes;
  problem.arrival_us = arrivals;
  problem.message_us = 1;
  std::vector<Schedule> schedules = make_schedules(*chosen.algorithm, problem);
  const int count = cut(bytes, schedules[0].segmentation).count(0);
  std::vector<double> in_slots = arrivals;
  for (double& time : in_slots) time *= count;
  std::vector<double> left = Timed(std::move(schedules), in_slots).exits();
  for (double& time : left) time /= count;
  return left;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Hand-made patterns, of which the best is known for whole blocks.
TEST(Clairvoyant, LeavesWhenItCan) {
  using Times = std::vector<double>;
  const Times late{2, 0, 0, 0};  // Proficz 2021, figure 4
  EXPECT_EQ(exits("ring", late, 1), Times(4, 5));
  EXPECT_EQ(exits("bdr", late, 1), (Times{3, 4, 5, 5}));
  EXPECT_EQ(exits("clairvoyant:segments=1", late, 1), Times(4, 4));
  const Times last{0, 0, 0, 0, 0, 0, 0, 10};
  EXPECT_EQ(mean(exits("bdr", last, 1)) - mean(last), 13.125);
  EXPECT_EQ(exits("clairvoyant:segments=1", last, 1), Times(8, 13));
  EXPECT_EQ(exits("clairvoyant:segments=4", last, 4), Times(8, 11.5));
  const Times in_order{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(exits("ring", in_order, 1), Times(8, 14));
  EXPECT_EQ(exits("clairvoyant:segments=1", in_order, 1), Times(8, 10));
  EXPECT_LE(mean(exits("clairvoyant:segments=4", in_order, 4)) - mean(in_order), 5.5);
  for (const int ranks : {1, 2, 7}) {
    const Times equal(static_cast<std::size_t>(ranks), 3.0);
    EXPECT_EQ(exits("clairvoyant", equal, 4), Times(equal.size(), 3.0 + ranks - 1));
  }
}

TEST(ArrivalRings, LeaveWhenTheyCan) {
  using Times = std::vector<double>;
  EXPECT_EQ(exits("arrival_rings", {2, 0, 0, 0}, 1), Times(4, 4));
  EXPECT_EQ(exits("arrival_rings", {0, 0, 0, 0, 0, 0, 0, 10}, 1), Times(8, 13));
  for (const int ranks : {1, 2, 7}) {
    const Times equal(static_cast<std::size_t>(ranks), 3.0);
    EXPECT_EQ(exits("arrival_rings", equal, 1), Times(equal.size(), 3.0 + ranks - 1));
  }
}

// Any all-gather in whole blocks: what still has to come in when another rank is there, and that a
// block spreads no faster than in a tree.
double lower_bound(std::vector<double> arrivals) {
  const auto p = static_cast<int>(arrivals.size());
  const double sum = mean(arrivals);
  std::vector<double> left;
  for (int i = 0; i < p; ++i) {
    std::vector<double> others = arrivals;
    others.erase(others.begin() + i);
    std::ranges::sort(others);
    double least = arrivals[static_cast<std::size_t>(i)];
    for (int k = 0; k < p - 1; ++k) {
      least = std::max(least, others[static_cast<std::size_t>(k)] + p - 1 - k);
    }
    left.push_back(least);
  }
  std::ranges::sort(left);
  const double last = std::ranges::max(arrivals);
  for (int k = 0; k < p; ++k) {
    double& time = left[static_cast<std::size_t>(k)];
    time = std::max(time, last + std::ceil(std::log2(k + 1.0)));
  }
  return mean(left) - sum;
}

// Arrivals as fast as blocks can spread are the hardest.
TEST(ManyRanks, LeaveNearTheBound) {
  std::mt19937 random(1);
  constexpr int ranks = 400;
  for (const double most : {0.25, 0.5, 1.0, 2.0}) {
    std::vector<double> arrivals;
    for (int rank = 0; rank < ranks; ++rank) {
      arrivals.push_back(static_cast<double>(random() % 4096) / 4096 * most * ranks);
    }
    const double least = lower_bound(arrivals);
    const auto elapsed = [&](const char* algorithm) {
      return mean(exits(algorithm, arrivals, 1)) - mean(arrivals);
    };
    EXPECT_GE(elapsed("clairvoyant:segments=1"), least - 1e-9) << most;
    EXPECT_LE(elapsed("clairvoyant:segments=1"), (most == 1.0 ? 1.06 : 1.03) * least) << most;
    EXPECT_LE(elapsed("arrival_rings"), (most == 1.0 ? 1.3 : 1.06) * least) << most;
  }
}

TEST(Clairvoyant, TakesAThousandRanks) {
  const Choice chosen = choice("clairvoyant");
  EXPECT_EQ(why_not(*chosen.algorithm, problem_for(chosen, 1024)), std::nullopt);
  EXPECT_EQ(why_not(*chosen.algorithm, problem_for(chosen, 1025)),
            "needs at most 1024 ranks; ranks = 1025");
}

TEST(Clairvoyant, IsBetweenTheBoundAndBdr) {
  std::mt19937 random(1);
  for (const int p : {5, 8, 16}) {
    for (const int most : {1, 2, 4}) {
      double bdr = 0;
      double whole = 0;
      double parts = 0;
      for (int draw = 0; draw < 4; ++draw) {
        std::vector<double> arrivals;
        for (int rank = 0; rank < p; ++rank) {
          arrivals.push_back(static_cast<double>(random() % 4096) / 4096 * most * p);
        }
        const double elapsed = mean(exits("clairvoyant:segments=1", arrivals, 1)) - mean(arrivals);
        EXPECT_GE(elapsed, lower_bound(arrivals) - 1e-9) << p << " " << most;
        whole += elapsed;
        parts += mean(exits("clairvoyant:segments=4", arrivals, 4)) - mean(arrivals);
        bdr += mean(exits("bdr", arrivals, 1)) - mean(arrivals);
      }
      EXPECT_LT(whole, bdr) << p << " " << most;
      EXPECT_LT(parts, whole) << p << " " << most;
    }
  }
}

// The schedule is the one that the algorithm's file draws.
TEST(Clairvoyant, IsTheFigure) {
  const std::vector<double> arrivals{2, 0, 0, 0};
  const auto shown = [&](int rank) {
    return steps_text(schedule_at("clairvoyant:segments=1", rank, arrivals, 1));
  };
  EXPECT_EQ(shown(0),
            ", 0 ranks, rank 0\n"
            "step 0: sends nothing; receives {3} from 3\n"
            "step 1: sends {3} to 1; receives {2} from 2\n"
            "step 2: sends {0} to 1; receives {1} from 1\n"
            "step 3: sends {0} to 3; receives nothing\n");
  EXPECT_EQ(shown(1),
            ", 0 ranks, rank 0\n"
            "step 0: sends {1} to 2; receives {2} from 2\n"
            "step 1: sends {2} to 3; receives {3} from 0\n"
            "step 2: sends {1} to 0; receives {0} from 0\n"
            "step 3: sends {0} to 2; receives nothing\n");
}

// The one thing that the helper thread of bdr never does.
TEST(Clairvoyant, LateRanksPassOnWhatTheyReceive) {
  const std::vector<double> arrivals{0, 0, 0, 0, 0, 0, 0, 10};
  const Schedule late = schedule_at("clairvoyant:segments=1", 7, arrivals, 1);
  const std::size_t background = late.background_steps();
  std::size_t sends = 0;
  for (std::size_t s = 0; s < background; ++s) sends += late.step(s).sends.size();
  EXPECT_GT(sends, 0U);
  EXPECT_LT(background, late.steps());
}

TEST(Clairvoyant, IsTheRingWhereArrivalsAreOne) {
  const std::vector<double> nearly{0, 0.9, 0.3, 0.1, 0, 0.2, 0.99};
  for (int rank = 0; rank < 7; ++rank) {
    const std::string ring = steps_text(schedule_of("ring", rank, 7));
    EXPECT_EQ(steps_text(schedule_of("clairvoyant", rank, 7)), ring);
    EXPECT_EQ(steps_text(schedule_at("clairvoyant", rank, nearly, 1)), ring);
    EXPECT_EQ(steps_text(schedule_at("clairvoyant", rank, nearly, 0)), ring);
    EXPECT_NE(steps_text(schedule_at("clairvoyant", rank, nearly, 0.9)), ring);
  }
}

TEST(Clairvoyant, CutsTheLargestBlock) {
  const std::vector<std::int64_t> bytes{10, 0, 3, 40};
  const std::vector<double> arrivals{0, 0, 9, 0};
  Problem problem = problem_for(choice("clairvoyant:segments=4"), 4);
  problem.block_bytes = bytes;
  problem.arrival_us = arrivals;
  problem.message_us = 1;
  const Schedule schedule = make_schedule(*find_algorithm("clairvoyant"), problem);
  EXPECT_EQ(schedule.segmentation, (Segmentation{.bytes = 10}));
  EXPECT_EQ(cut(bytes, schedule.segmentation).bytes,
            (std::vector<std::int64_t>{10, 0, 3, 10, 10, 10, 10}));
  // The block without bytes costs no slot: it is in the last step.
  const Step last = schedule.step(schedule.steps() - 1);
  ASSERT_EQ(last.receives.size(), 1U);
  EXPECT_EQ(last.receives[0].blocks[0].first, 1);
}

TEST(Clairvoyant, WaitsForEverInNoTime) {
  std::vector<double> arrivals(24, 0.0);
  arrivals[3] = 1e300;
  arrivals[9] = 1e15;
  for (const double message_us : {1e-300, 1.0, 1e100, 1e299}) {
    const Schedule late = schedule_at("clairvoyant:segments=1", 3, arrivals, message_us);
    EXPECT_GT(late.background_steps(), 0U) << message_us;
  }
}

TEST(Registry, TimesOfAMessage) {
  EXPECT_EQ(choice("bdr").parameters[0], ParameterValue(MessageTime{}));
  EXPECT_EQ(choice("bdr:tau=measured").parameters[0], ParameterValue(MessageTime{}));
  EXPECT_EQ(choice("bdr:tau=13ms").parameters[0],
            ParameterValue(MessageTime{std::chrono::milliseconds(13)}));
  EXPECT_EQ(problem_for(choice("bdr:tau=1.5us"), 2).message_us, 1.5);
}

}  // namespace
}  // namespace gatherbench::algorithms
