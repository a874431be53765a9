// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/common/timed_case.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <span>

#include "algorithms/cost/exit_times.h"
#include "algorithms/cost/library_broadcast.h"
#include "algorithms/messages/compact_schedules.h"
#include "distributions/arrivals/pattern_table.h"
#include "tools/allgather_schedule/common/common.h"

namespace gatherbench::allgather_schedule {
namespace {

formats::Iteration iteration_of(const std::vector<double>& arrivals,
                                const std::vector<double>& exits) {
  std::vector<double> elapsed(exits.size());
  std::ranges::transform(exits, arrivals, elapsed.begin(), std::minus<>());
  const auto [first, last] = std::ranges::minmax(arrivals);
  return {
      {"min_us", std::ranges::min(elapsed)},
      {"avg_us", std::reduce(elapsed.begin(), elapsed.end()) / static_cast<double>(exits.size())},
      {"max_us", std::ranges::max(elapsed)},
      {"run_us", std::ranges::max(exits) - first},
      {"imbalance_us", last - first},
      {"clock_error_us", 0}};
}

double worst_error_us(std::span<const double> predicted, std::span<const double> arrivals) {
  double worst = 0;
  for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
    worst = std::max(worst, std::abs(predicted[rank] - arrivals[rank]));
  }
  return worst;
}

/// Returns the times from the first one on.
std::vector<double> since_the_first(std::vector<double> us) {
  const double first = std::ranges::min(us);
  for (double& each : us) each -= first;
  return us;
}

std::vector<double> exits_us_of(const messages::CompactSchedules& schedules,
                                const cost::Arrivals& arrivals, std::int64_t total_bytes,
                                const cost::TimingModel& model) {
  std::vector<double> exits = exits_us(schedules, arrivals, model);
  if (!schedules.broadcast_at_end()) return exits;
  return cost::broadcast_exits_us(exits, static_cast<double>(total_bytes), model.hockney);
}

/// Times that the user gives may be wrong, and it is by these that the algorithm goes.
algorithms::ExitTimes predicted_exits(const algorithms::Choice& choice,
                                      const cost::TimingModel& model) {
  const bool knows_model =
      algorithms::needs_message_time(choice) && algorithms::needs_start_time(choice);
  return knows_model ? cost::exit_times(model) : cost::exit_times_of_messages();
}

/// Ranks arrived just as the pattern asked.
void mark_as_asked(formats::Iteration& one) {
  one["asked_imbalance_us"] = one["imbalance_us"];
  one["asked_run_us"] = one["run_us"];
  one["delay_error_us"] = 0;
}

}  // namespace

TimedCase::TimedCase(const arrivals::ArrivalPattern& pattern,
                     const arrivals::Prediction& prediction, const algorithms::Placement& placement,
                     const std::vector<std::int64_t>& block_bytes, int ranks,
                     std::int64_t base_bytes, const cost::TimingModel& model)
    : pattern_(pattern),
      prediction_(prediction),
      placement_(placement),
      block_bytes_(block_bytes),
      ranks_(ranks),
      model_(model),
      message_us_(1e6 *
                  (model.hockney.alpha + static_cast<double>(base_bytes) * model.hockney.beta)) {}

/// All iterations are alike.
bool TimedCase::is_steady() const {
  const bool arrives_alike =
      pattern_.named != nullptr && (pattern_.is_none() || pattern_.named->steady);
  return arrives_alike && (prediction_.from == arrivals::Predictor::perfect ||
                           prediction_.from == arrivals::Predictor::reversed);
}

cost::TimingModel TimedCase::model_for(const algorithms::Choice& choice) const {
  cost::TimingModel model = model_;
  if (choice.via == algorithms::Via::messages) model.window.reset();
  return model;
}

void TimedCase::tell_times(const algorithms::Choice& choice, std::int64_t total_bytes,
                           algorithms::Problem& problem) const {
  if (algorithms::needs_message_time(choice)) {
    problem.message_us = message_us_;
    if (choice.algorithm->kind->combines) {
      problem.message_us += 1e6 * static_cast<double>(total_bytes) * model_.hockney.gamma;
    }
  }
  if (algorithms::needs_start_time(choice)) problem.start_us = 1e6 * model_.hockney.alpha;
}

TimedCase::Times TimedCase::of(const algorithms::Choice& choice, std::int64_t iterations,
                               std::uint64_t seed) const {
  const algorithms::Algorithm& algorithm = *choice.algorithm;
  algorithms::Problem problem = placement_.place(algorithms::problem_for(choice, ranks_));
  problem.block_bytes = block_bytes_;
  Times times{.reason = why_not(choice, problem).value_or(""), .iterations = {}};
  if (!times.reason.empty()) return times;
  const cost::TimingModel model = model_for(choice);
  const auto total = std::reduce(block_bytes_.begin(), block_bytes_.end());
  tell_times(choice, total, problem);
  const algorithms::ExitTimes predicted = predicted_exits(choice, model);
  problem.exits_us = &predicted;
  const bool runs = model.hockney.tau > 0;
  std::optional<messages::CompactSchedules> schedules;
  const std::int64_t different = is_steady() ? 1 : iterations;
  for (std::int64_t i = 0; i < different; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    const std::vector<double> arrivals = arrivals_us(pattern_, ranks_, seed, number, message_us_);
    std::vector<double> told;
    std::vector<double> expected;
    if (algorithm.is<algorithms::ByArrivals>()) {
      told = arrivals::predicted_us(prediction_, arrivals, seed, number, message_us_);
      expected = since_the_first(told);
      problem.arrival_us = expected;
    }
    if (algorithm.is<algorithms::ByArrivals>() || !schedules) {
      schedules = messages::CompactSchedules::of(algorithm, problem, runs);
    }
    const std::vector<double> exits = exits_us_of(
        *schedules, {.us = arrivals, .in_background = runs_ahead(algorithm)}, total, model);
    formats::Iteration one = iteration_of(arrivals, exits);
    if (!pattern_.is_none()) mark_as_asked(one);
    if (algorithm.is<algorithms::ByArrivals>()) {
      one["prediction_error_us"] = worst_error_us(told, arrivals);
    }
    times.iterations.push_back(one);
  }
  times.iterations.resize(static_cast<std::size_t>(iterations), times.iterations.front());
  return times;
}

}  // namespace gatherbench::allgather_schedule
