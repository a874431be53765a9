// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/rank_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace gatherbench::cost {

RankSteps::RankSteps(const messages::CompactSchedules& schedules, std::span<const double> arrival,
                     bool in_background, double us_a_combined_byte)
    : schedules_(schedules), arrival_(arrival), us_a_combined_byte_(us_a_combined_byte) {
  for (int rank = 0; rank < schedules.ranks(); ++rank) {
    const messages::CompactSchedules::Positions steps = schedules.steps(rank);
    const std::size_t background = in_background ? schedules.background_steps(rank) : 0;
    ranks_.push_back(
        {.next = steps.first, .background_end = steps.first + background, .last = steps.last});
  }
  ready_.resize(ranks_.size());
  std::iota(ready_.begin(), ready_.end(), 0);
}

int RankSteps::next_ready() {
  if (first_ready_ == ready_.size()) {
    ready_.clear();
    first_ready_ = 0;
    return -1;
  }
  // Memory of entries that were taken off is given back now and then.
  constexpr std::size_t many = 1 << 16;
  if (first_ready_ >= many && 2 * first_ready_ >= ready_.size()) {
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(first_ready_));
    first_ready_ = 0;
  }
  return ready_[first_ready_++];
}

/// Returns true if the rank has to wait at a barrier. The last rank lets all others go on, at the
/// time at which it came.
bool RankSteps::waits_at_barrier(int rank, double time) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  if (!schedules_.barrier(one.next) || one.is_past_barrier) return false;
  barrier_time_ = std::max(barrier_time_, time);
  one.is_past_barrier = true;
  if (++at_barrier_ < ranks_.size()) return true;
  at_barrier_ = 0;
  for (std::size_t other = 0; other < ranks_.size(); ++other) {
    ranks_[other].time = barrier_time_;
    if (static_cast<int>(other) != rank) ready_.push_back(static_cast<int>(other));
  }
  return false;
}

double RankSteps::next_begin(int rank) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  constexpr double never = std::numeric_limits<double>::infinity();
  if (one.next == one.last) return never;
  if (one.next >= one.background_end) {
    one.time = std::max(one.time, arrival_[static_cast<std::size_t>(rank)]);
  }
  return waits_at_barrier(rank, one.time) ? never : one.time;
}

messages::CompactSchedules::Positions RankSteps::begin(int rank, double now) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  const std::size_t first = one.next++;
  one.is_past_barrier = false;
  one.time = std::max(one.time, now);
  // Receives alone can be open before their turn, as in runtime/mpi/plans/plan.cpp.
  if (now < arrival_[static_cast<std::size_t>(rank)]) {
    while (one.next < one.background_end && schedules_.sends(one.next).size() == 0) ++one.next;
  }
  one.open = schedules_.receives(first).size();
  if (!schedules_.leaves(first)) one.open += schedules_.sends(first).size();
  for (std::size_t s = first + 1; s < one.next; ++s) one.open += schedules_.receives(s).size();
  if (one.open == 0) ready_.push_back(rank);
  return {first, one.next};
}

std::vector<double> RankSteps::exits() const {
  const double combining = static_cast<double>(schedules_.combined_at_end()) * us_a_combined_byte_;
  std::vector<double> exits;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const Rank& one = ranks_[rank];
    if (one.next < one.last || one.open > 0) {
      throw std::invalid_argument(fmt::format("rank {} waits for ever", rank));
    }
    exits.push_back(std::max(one.time, arrival_[rank]) + combining);
  }
  return exits;
}

}  // namespace gatherbench::cost
