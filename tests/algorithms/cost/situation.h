// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/cost/exit_times.h"
#include "algorithms/cost/timing.h"
#include "algorithms/messages/compact_schedules.h"
#include "tests/schedule_of.h"

// Ranks that arrive, and when they leave by the model.
namespace gatherbench::cost {

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

inline double mean(const Times& times) {
  return std::reduce(times.begin(), times.end()) / static_cast<double>(times.size());
}

/// Infinite where it cannot run.
inline double mean_exit(std::string_view algorithm, const Situation& situation) {
  const algorithms::Choice chosen = choice(algorithm);
  algorithms::Problem problem = situation.problem(chosen);
  const algorithms::ExitTimes predicted = exit_times(situation.model());
  problem.exits_us = &predicted;
  if (why_not(*chosen.algorithm, problem)) return INFINITY;
  return mean(exits_us(messages::CompactSchedules::of(*chosen.algorithm, problem),
                       {situation.arrivals, chosen.algorithm->is<algorithms::ByArrivals>()},
                       situation.model()));
}

/// Returns the schedules of all ranks, by the times of messages.
inline std::vector<Schedule> schedules(
    std::string_view algorithm, const Situation& situation,
    const algorithms::ExitTimes* predicted = &exit_times_of_messages()) {
  const algorithms::Choice chosen = choice(algorithm);
  algorithms::Problem problem = situation.problem(chosen);
  problem.exits_us = predicted;
  return make_schedules(*chosen.algorithm, problem);
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

}  // namespace gatherbench::cost
