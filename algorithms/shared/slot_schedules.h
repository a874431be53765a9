// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/schedule.h"

namespace gatherbench::algorithms {

/// The schedules of some ranks, out of one plan that says slot by slot what all ranks send: a rank
/// has a step for each slot in which it sends or receives.
class SlotSchedules {
 public:
  /// The schedules, which live longer, are those of the ranks from `first` on.
  SlotSchedules(std::span<Schedule> schedules, int first)
      : schedules_(schedules), first_(first), last_slot_(schedules.size(), -1) {}

  /// Adds a move in a slot that is not before the slot of the last move.
  void move(std::int64_t slot, int from, int to, BlockRange blocks,
            Incoming incoming = Incoming::store) {
    if (Schedule* const sender = in_slot(slot, from)) sender->send(to, blocks);
    if (Schedule* const receiver = in_slot(slot, to)) receiver->receive(from, blocks, incoming);
  }

 private:
  /// Returns the rank's schedule, with a step for the slot; null if it is not asked for.
  Schedule* in_slot(std::int64_t slot, int rank) {
    const int place = rank - first_;
    if (place < 0 || place >= static_cast<int>(schedules_.size())) return nullptr;
    Schedule& schedule = schedules_[static_cast<std::size_t>(place)];
    if (std::exchange(last_slot_[static_cast<std::size_t>(place)], slot) != slot) {
      schedule.begin_step();
    }
    return &schedule;
  }

  std::span<Schedule> schedules_;
  int first_;
  std::vector<std::int64_t> last_slot_;  // in which each has a step
};

}  // namespace gatherbench::algorithms
