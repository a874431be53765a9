// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "algorithms/choice/message_form.h"
#include "algorithms/cost/models.h"
#include "algorithms/registry.h"

// The cost of a collective where the messages of a step share the links of a network.
namespace gatherbench::cost {

/// The times of what a rank begins in a step, in seconds or in any unit.
struct StartUpTimes {
  double message = 1;
  double copy = 0;     ///< a transfer through a window
  double further = 1;  ///< share of it that each takes but the first one
};

/// The cost over all steps. Steps of one number are taken to run at one time on all ranks, and a
/// message to pass its whole path at once. The messages that a step begins are counted on the rank
/// whose start-ups take longest, for what it sends or for what it receives.
struct SharedLinks {
  /// Steps of the rank that has most; not those in which it begins copies alone.
  std::int64_t steps = 0;
  /// The messages of each step less one, added up. A transfer is a message for each run of blocks
  /// that lie together, or one where the collective packs.
  std::int64_t further_messages = 0;
  /// Bytes over the most loaded direction of a link, of each step, added up: the load of a link
  /// that is twice as fast as a host's (topology::Network::link_speed) counts half. The links are
  /// those of Paths, also within hosts.
  double bytes = 0;
  /// Steps in which that rank begins copies alone, through a window.
  std::int64_t steps_of_copies = 0;
  /// The copies of each step, added up; less one where the rank begins no message, which would be
  /// first.
  std::int64_t further_copies = 0;
  bool operator==(const SharedLinks&) const = default;

  /// Adds a step in which that rank begins so many messages and copies.
  void add_step(std::int64_t messages, std::int64_t copies);
  /// Returns the time of all start-ups, one after the other.
  [[nodiscard]] double start_ups(const StartUpTimes& times) const;
};

/// Returns the cost over all steps of an algorithm that can run; problem.network and problem.host
/// must be there. A library's broadcast at the end is not in it. By a window, what goes between
/// ranks of a host is copies, whatever its runs of blocks, and `within` has the speeds of these.
/// `times` decides whose start-ups take longest. Time: links on the paths of all messages; memory:
/// the schedules of all ranks, or one where these are alike (Symmetry) and blocks are equal.
SharedLinks shared_links(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem,
                         const HostSpeeds& within = {},
                         algorithms::Via via = algorithms::Via::messages,
                         const StartUpTimes& times = {});

/// Returns the seconds of the start-ups, one after the other, and of the bytes at the bandwidth of
/// a host's link. Each step has one start-up, and model.further of one for each further transfer;
/// that of a copy is window.alpha. The bytes of a step's transfers overlap: on a torus of D
/// dimensions all 2D links of a rank that has 2D peers are busy at once. `scale` multiplies the
/// bytes.
double contention_seconds(const SharedLinks& use, const ContentionModel& model, double scale = 1,
                          const HostWindow& window = {});

}  // namespace gatherbench::cost
