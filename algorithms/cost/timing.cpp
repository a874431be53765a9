// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/timing.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "algorithms/cost/links.h"
#include "algorithms/cost/ports.h"
#include "algorithms/cost/rank_steps.h"
#include "algorithms/cost/unqueued.h"

namespace gatherbench::cost {
namespace {

/// Opens the steps of a rank.
template <typename Network>
void begin(RankSteps& rank_steps, Network& network, int rank, double time) {
  network.begin(rank, rank_steps.begin(rank, time), time);
}

template <typename Network>
std::vector<double> run(const messages::CompactSchedules& schedules, const Arrivals& arrivals,
                        const TimingModel& model) {
  RankSteps rank_steps(schedules, arrivals.us, arrivals.in_background,
                       model.hockney.gamma * us_per_s);
  Network network(schedules, model, rank_steps);
  do {
    for (int rank = network.next_awake(); rank >= 0; rank = network.next_awake()) {
      begin(rank_steps, network, rank, rank_steps.time(rank));
    }
    for (int rank = rank_steps.next_ready(); rank >= 0; rank = rank_steps.next_ready()) {
      const double time = rank_steps.next_begin(rank);
      if (std::isinf(time)) continue;
      if (network.opens(time)) {
        begin(rank_steps, network, rank, time);
      } else {
        network.wake(rank, time);
      }
    }
  } while (network.go_on());
  return rank_steps.exits();
}

void require_arrivals(std::span<const double> us, int ranks) {
  if (us.size() != static_cast<std::size_t>(ranks)) {
    throw std::invalid_argument(fmt::format("{} arrivals of {} ranks", us.size(), ranks));
  }
  for (const double time : us) {
    if (!(time >= 0) || std::isinf(time)) {
      throw std::invalid_argument(fmt::format("a rank arrives at {} us", time));
    }
  }
}

}  // namespace

std::vector<double> exits_us(const messages::CompactSchedules& schedules, const Arrivals& arrivals,
                             const TimingModel& model) {
  require_arrivals(arrivals.us, schedules.ranks());
  if (model.network != nullptr && model.hockney.beta > 0) {
    return run<Links>(schedules, arrivals, model);
  }
  const bool is_unqueued =
      model.sends == Sends::eager ? schedules.has_one_sender_each() : schedules.is_one_to_one();
  // Background receives of several steps are open at once.
  if (is_unqueued && !arrivals.in_background) return run<Unqueued>(schedules, arrivals, model);
  return run<Ports>(schedules, arrivals, model);
}

std::vector<double> exits_us(std::span<const algorithms::Schedule> schedules,
                             const messages::TransferBytes& bytes, const Arrivals& arrivals,
                             const TimingModel& model) {
  return exits_us(messages::CompactSchedules(schedules, bytes, model.hockney.tau > 0), arrivals,
                  model);
}

}  // namespace gatherbench::cost
