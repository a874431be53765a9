// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "algorithms/cost/timing_model.h"
#include "algorithms/messages/compact_schedules.h"
#include "algorithms/messages/transfer_bytes.h"
#include "algorithms/schedule.h"

// An event-driven simulation of when ranks leave a collective, given when they arrive at it.
namespace gatherbench::cost {

/// Microseconds.
struct Arrivals {
  std::span<const double> us;  ///< of every rank, not negative
  /// True: before a rank arrives, a helper thread runs its background steps, from time 0 on. Steps
  /// in a row that send nothing run at once, as the plans do, and all others one after the other.
  bool in_background = false;
};

/// Returns when each rank leaves, in microseconds. A rank begins a step when all of the one before
/// has ended, and not before it arrives. A barrier takes no time but that until the last rank
/// comes. The library's broadcast at the end is `broadcast_exits_us`. Throws std::invalid_argument
/// if a rank waits for ever, or arrives at a time that is none.
///
/// Time: messages, times the logarithm of those that wait. There is no logarithm if no queue can
/// hold two: with rendezvous, where no step has two transfers of a direction; with eager, where
/// each rank receives from one other alone. With a network, the time is multiplied by the flows
/// that share links with one that begins or ends. Memory: 8 bytes a message beside the schedules.
std::vector<double> exits_us(const messages::CompactSchedules& schedules, const Arrivals& arrivals,
                             const TimingModel& model);

/// The same of the schedules of all ranks, in rank order.
std::vector<double> exits_us(std::span<const algorithms::Schedule> schedules,
                             const messages::TransferBytes& bytes, const Arrivals& arrivals,
                             const TimingModel& model);

}  // namespace gatherbench::cost
