// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/arrival_aware/clairvoyant_slots.h"

namespace gatherbench::algorithms {
namespace {

double mean_block_bytes(const Problem& problem) {
  double total = 0;
  for (int block = 0; block < problem.ranks; ++block) {
    total += static_cast<double>(problem.bytes(block));
  }
  return total / problem.ranks;
}

/// Returns the time of a part's message; the problem's time of a message is that of a block of mean
/// size.
double slot_us(const Problem& problem, std::int64_t part_bytes) {
  const double of_bytes = std::max(problem.message_us - problem.start_us, 0.0);
  return problem.start_us + of_bytes * static_cast<double>(part_bytes) / mean_block_bytes(problem);
}

}  // namespace

SlotClock::SlotClock(const Problem& problem, std::int64_t part_bytes)
    : order_(by_arrival(problem)) {
  constexpr double ps_per_us = 1e6;
  constexpr double max_ps = 1e18;  // eleven days
  for (const int rank : order_) {
    const double us = problem.arrival_us[static_cast<std::size_t>(rank)];
    ps_.push_back(std::llround(std::clamp(us * ps_per_us, 0.0, max_ps)));
  }
  slot_ps_ = std::llround(std::clamp(slot_us(problem, part_bytes) * ps_per_us, 1.0, max_ps));
  now_ps_ = ps_.front();
  real_ps_ = static_cast<double>(now_ps_);
}

int SlotClock::next() {
  if (next_ == order_.size()) return -1;
  // Slots that are no whole number of picoseconds stay in line with ranks a message apart.
  constexpr std::int64_t tolerance = 1024;
  return ps_[next_] <= now_ps_ + slot_ps_ / tolerance ? order_[next_++] : -1;
}

void SlotClock::pass_slot() {
  now_ps_ = std::min(now_ps_, ps_.back()) + slot_ps_;
  real_ps_ += static_cast<double>(slot_ps_);
}

void SlotClock::wait() {
  now_ps_ = ps_[next_];
  real_ps_ = static_cast<double>(now_ps_);
}

std::vector<double> SlotClock::arrivals_ps() const {
  std::vector<double> of_ranks(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    of_ranks[static_cast<std::size_t>(order_[i])] = static_cast<double>(ps_[i]);
  }
  return of_ranks;
}

Slots::Slots(const Problem& problem, std::int64_t segments)
    : problem_(problem),
      segmentation_{
          .bytes = std::max<std::int64_t>((problem.largest_bytes() + segments - 1) / segments, 1),
          .unit = problem.element_bytes} {
  std::vector<std::int64_t> bytes;
  for (int block = 0; block < problem.ranks; ++block) bytes.push_back(problem.bytes(block));
  segments_ = cut(bytes, segmentation_);
  std::vector<int> ranks = by_arrival(problem);
  std::ranges::reverse(ranks);
  for (const int rank : ranks) {
    for (int i = 0; i < segments_.count(rank); ++i) {
      const int part = segments_.first[static_cast<std::size_t>(rank)] + i;
      if (segments_.bytes[static_cast<std::size_t>(part)] == 0) continue;
      number_.push_back(part);
      owner_.push_back(rank);
    }
  }
}

}  // namespace gatherbench::algorithms
