// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "algorithms/cost/hockney.h"
#include "algorithms/cost/host_memory.h"
#include "algorithms/topology/network.h"

namespace gatherbench::cost {

enum class Sends {
  rendezvous,  ///< a message begins when the steps at both its ends have begun
  eager,       ///< when the sender's step has, which does not wait for it
};

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

}  // namespace gatherbench::cost
