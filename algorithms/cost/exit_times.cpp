// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/exit_times.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

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

std::vector<double> exits_by_messages(const std::vector<algorithms::Schedule>& schedules,
                                      const algorithms::Problem& problem,
                                      const std::vector<MessageTime>& longer) {
  const std::vector<std::int64_t> sizes = messages::sizes_of(problem, problem.ranks);
  const auto total = static_cast<double>(std::reduce(sizes.begin(), sizes.end()));
  const double of_bytes = std::max(problem.message_us - problem.start_us, 0.0);
  constexpr double us_per_second = 1e6;
  TimingModel model{
      .hockney = {.alpha = problem.start_us / us_per_second,
                  .beta = total > 0 ? of_bytes / us_per_second * problem.ranks / total : 0}};
  std::vector<MessageTime> known;
  if (!longer.empty()) {
    const auto mean_bytes = static_cast<std::int64_t>(std::ceil(total / problem.ranks));
    known.push_back({mean_bytes, problem.start_us + of_bytes});
    known.insert(known.end(), longer.begin(), longer.end());
  }
  model.longer = known;
  return exits(schedules, problem, model);
}

}  // namespace

algorithms::ExitTimes exit_times(const TimingModel& model) {
  return [model](const std::vector<algorithms::Schedule>& schedules,
                 const algorithms::Problem& problem) { return exits(schedules, problem, model); };
}

algorithms::ExitTimes exit_times_of_messages(std::vector<MessageTime> longer) {
  return [longer = std::move(longer)](const std::vector<algorithms::Schedule>& schedules,
                                      const algorithms::Problem& problem) {
    return exits_by_messages(schedules, problem, longer);
  };
}

const algorithms::ExitTimes& exit_times_of_messages() {
  static const algorithms::ExitTimes in_proportion =
      exit_times_of_messages(std::vector<MessageTime>{});
  return in_proportion;
}

}  // namespace gatherbench::cost
