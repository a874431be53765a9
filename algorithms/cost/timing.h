// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/cost/models.h"
#include "algorithms/messages/compact_schedules.h"
#include "algorithms/messages/transfer_bytes.h"
#include "algorithms/schedule.h"
#include "algorithms/topology/network.h"

// An event-driven simulation of when ranks leave a collective, given when they arrive at it.
namespace gatherbench::cost {

enum class Sends {
  rendezvous,  ///< a message begins when the steps at both its ends have begun
  eager,       ///< when the sender's step has, which does not wait for it
};

inline constexpr double us_per_s = 1e6;

/// The time of a message, without the starts of its further runs.
struct MessageTime {
  std::int64_t bytes;
  double us;
};

/// The times of messages. One of n bytes takes alpha + n beta, and tau for each of its runs of
/// blocks after the first, at the sender's port and the receiver's: each port carries one message
/// at a time each way. With rendezvous a message waits in the queues of both ports. With eager it
/// passes the sender's port first, and is at the receiver's as soon as it begins to pass that.
/// Queues are in the order in which messages come to them. Of messages that come at one time, the
/// one before which its sender sends fewest is first, then that of the lowest rank.
struct TimingModel {
  Hockney hockney;  ///< seconds, seconds a byte
  Sends sends = Sends::rendezvous;
  /// The network, if messages share its directed links instead of waiting in queues: these have
  /// 1/beta bytes a second times their speed each, by max-min fairness, after alpha. Between ranks
  /// of one host messages share the links of Paths. Null: there are queues.
  const topology::Network* network = nullptr;
  std::span<const int> host = {};  ///< of every rank, in `network`
  /// The memory of a host, with a network; none: the default of HostSpeeds.
  std::optional<HostMemory> memory = {};
  /// Transfers between ranks of a node are copies, which take its numbers instead of alpha, beta
  /// and tau, at the same ports; with a network they share the links of Paths at its bandwidths.
  /// None: they are messages.
  std::optional<HostWindow> window = {};
  std::span<const int> node = {};  ///< of every rank, for the window; empty: all are on one
  /// Longer messages whose times are known, in increasing order of bytes, without a network; empty:
  /// alpha + n beta holds for all. That holds up to the first of these. Messages between two of
  /// them take what lies between the two, and longer ones as much a byte as the last one.
  std::span<const MessageTime> longer = {};
};

/// The arrivals of the ranks, in microseconds.
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

/// Returns when each rank leaves, as above, from the schedules of all ranks, in rank order.
std::vector<double> exits_us(std::span<const algorithms::Schedule> schedules,
                             const messages::TransferBytes& bytes, const Arrivals& arrivals,
                             const TimingModel& model);

}  // namespace gatherbench::cost
