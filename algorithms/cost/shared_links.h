// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "algorithms/choice/message_form.h"
#include "algorithms/cost/contention_model.h"
#include "algorithms/cost/host_memory.h"
#include "algorithms/registry.h"

// What a collective costs where the messages of a step share the links of a network.
namespace gatherbench::cost {

/// Seconds, or in any unit, of what a rank begins in a step.
struct StartUpTimes {
  double message = 1;
  double copy = 0;     ///< a transfer through a window
  double further = 1;  ///< share of it that each takes but the first one
};

/// Over all steps. Steps of one number are taken to run at one time on all ranks, and a message to
/// pass its whole path at once. What ranks begin in a step is of the one whose start-ups take
/// longest, for what it sends or for what it receives.
struct SharedLinks {
  /// Of the rank that has most; not those in which it begins copies alone.
  std::int64_t steps = 0;
  /// Of each step its messages less one, added up. A transfer is a message for each run of blocks
  /// that lie together, or one where the collective packs.
  std::int64_t further_messages = 0;
  /// Over the most loaded direction of a link, of each step, added up: what a link that is twice as
  /// fast as a host's (topology::Network::link_speed) carries counts half. The links
  /// are those of Paths, also within hosts.
  double bytes = 0;
  /// In which that rank begins copies alone, through a window.
  std::int64_t steps_of_copies = 0;
  /// Of each step its copies, added up; less one where it begins no message, which would be first.
  std::int64_t further_copies = 0;
  bool operator==(const SharedLinks&) const = default;

  /// In which that rank begins so many.
  void add_step(std::int64_t messages, std::int64_t copies);
  /// What all of them take, one after the other.
  [[nodiscard]] double start_ups(const StartUpTimes& times) const;
};

/// problem.network and problem.host are there, and the algorithm can run. A library's broadcast at
/// the end is not in it. Time: links on the paths
/// of all messages; memory: the schedules of all ranks, or one where these are alike (Symmetry) and
/// blocks are equal. By a window, what goes between ranks of a host is copies, whatever its runs of
/// blocks, and `within` is of these. By `times` the longest start-ups are found.
SharedLinks shared_links(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem,
                         const HostSpeeds& within = {},
                         algorithms::Via via = algorithms::Via::messages,
                         const StartUpTimes& times = {});

/// Seconds: the start-ups, one after the other, and the bytes at the bandwidth of a host's link.
/// Each step has one start-up, and model.further of one for each further transfer: of a copy's,
/// window.alpha, for copies. The bytes of a step's transfers overlap: on a torus of D dimensions
/// all 2D links of a rank that has 2D peers are busy at once. `scale` multiplies the bytes.
double contention_seconds(const SharedLinks& use, const ContentionModel& model, double scale = 1,
                          const HostWindow& window = {});

}  // namespace gatherbench::cost
