// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/exit_times.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
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

namespace {

/// Returns when each rank leaves a binomial tree from rank 0, in microseconds. The ranks farthest
/// away get the message first.
std::vector<double> binomial(std::span<const double> ready_us, double message_us) {
  std::vector<double> time(ready_us.begin(), ready_us.end());
  for (std::size_t distance = std::bit_ceil(time.size()) / 2; distance > 0; distance /= 2) {
    for (std::size_t from = 0; from + distance < time.size(); from += 2 * distance) {
      const double begin = std::max(time[from], time[from + distance]);
      time[from] = time[from + distance] = begin + message_us;
    }
  }
  return time;
}

/// Returns when each rank leaves a pipeline along the ranks, in microseconds. One segment takes
/// segment_us; all of them, one after the other, take all_us.
std::vector<double> pipeline(std::span<const double> ready_us, double segment_us, double all_us) {
  double begin = ready_us[0] - segment_us;
  double end = ready_us[0];
  std::vector<double> exits{};
  for (std::size_t rank = 1; rank < ready_us.size(); ++rank) {
    begin = std::max(ready_us[rank], begin + segment_us);
    end = std::max(begin + all_us, end + segment_us);
    exits.push_back(end);  // of the one before, which sends to this one
  }
  exits.push_back(end);
  return exits;
}

/// Does what broadcast_exits_us() does for root 0.
std::vector<double> exits_from_0_us(std::span<const double> ready_us, double bytes,
                                    const Hockney& model) {
  if (ready_us.size() < 2) return {ready_us.begin(), ready_us.end()};
  const double alpha = model.alpha * us_per_s;
  const double bytes_us = bytes * model.beta * us_per_s;
  const auto hops = static_cast<double>(ready_us.size() - 2);
  double segment_us = 0;  // without start-ups segments are as small as one likes
  double all_us = bytes_us;
  if (alpha > 0) {
    const double best = std::round(std::sqrt(hops * bytes_us / alpha));
    const double segments = std::clamp(best, 1.0, std::max(1.0, bytes));
    segment_us = alpha + bytes_us / segments;
    all_us = segments * segment_us;
  }
  const auto depth = static_cast<double>(std::bit_width(ready_us.size() - 1));
  const double tree_us = depth * (alpha + bytes_us);
  if (tree_us < hops * segment_us + all_us) return binomial(ready_us, alpha + bytes_us);
  return pipeline(ready_us, segment_us, all_us);
}

}  // namespace

std::vector<double> broadcast_exits_us(std::span<const double> ready_us, double bytes,
                                       const Hockney& model, int root) {
  std::vector<double> from_root(ready_us.begin(), ready_us.end());
  std::ranges::rotate(from_root, from_root.begin() + root);
  std::vector<double> exits = exits_from_0_us(from_root, bytes, model);
  std::ranges::rotate(exits, exits.end() - root);
  return exits;
}

}  // namespace gatherbench::cost
