// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/exit_times.h"

#include <algorithm>
#include <numeric>

#include "algorithms/cost/timing.h"
#include "algorithms/messages/transfer_bytes.h"

namespace gatherbench::cost {
namespace {

std::vector<double> exits(const std::vector<algorithms::Schedule>& schedules,
                          const algorithms::Problem& problem, const TimingModel& model) {
  const messages::TransferBytes bytes(messages::sizes_of(problem, problem.ranks),
                                      schedules.front().segmentation);
  return exits_us(schedules, bytes, {.us = problem.arrival_us, .in_background = true}, model);
}

TimingModel model_of_messages(const algorithms::Problem& problem) {
  const std::vector<std::int64_t> sizes = messages::sizes_of(problem, problem.ranks);
  const auto total = static_cast<double>(std::reduce(sizes.begin(), sizes.end()));
  const double of_bytes = std::max(problem.message_us - problem.start_us, 0.0);
  constexpr double us_per_second = 1e6;
  return {.hockney = {.alpha = problem.start_us / us_per_second,
                      .beta = total > 0 ? of_bytes / us_per_second * problem.ranks / total : 0}};
}

}  // namespace

algorithms::ExitTimes exit_times(const TimingModel& model) {
  return [model](const std::vector<algorithms::Schedule>& schedules,
                 const algorithms::Problem& problem) { return exits(schedules, problem, model); };
}

const algorithms::ExitTimes& exit_times_of_messages() {
  static const algorithms::ExitTimes by_messages =
      [](const std::vector<algorithms::Schedule>& schedules, const algorithms::Problem& problem) {
        return exits(schedules, problem, model_of_messages(problem));
      };
  return by_messages;
}

}  // namespace gatherbench::cost
