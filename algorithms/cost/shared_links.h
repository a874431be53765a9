// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "algorithms/choice/message_form.h"
#include "algorithms/cost/contention_model.h"
#include "algorithms/cost/host_memory.h"
#include "algorithms/registry.h"

// What a collective costs where the messages of a step share the links of a network.
namespace gatherbench::cost {

/// Over all steps. Steps of one number are taken to run at one time on all ranks, and a message to
/// pass its whole path at once.
struct SharedLinks {
  /// Of the rank that has most; not those in which all transfers are copies.
  std::int64_t steps = 0;
  /// Of each step the most messages that a rank sends or receives, less one; added up. A transfer
  /// is a message for each run of blocks that lie together, or one where the collective packs.
  std::int64_t further_messages = 0;
  /// Over the most loaded direction of a link, of each step, added up: what a link that is twice as
  /// fast as a host's (topology::Network::link_speed) carries counts half. The links
  /// are those of Paths, also within hosts.
  double bytes = 0;
  /// Steps in which all transfers are copies through a window.
  std::int64_t steps_of_copies = 0;
  /// Of each step the most copies that a rank sends or receives, added up; less one where there are
  /// no messages, beside which the first copy starts up.
  std::int64_t further_copies = 0;
  bool operator==(const SharedLinks&) const = default;

  /// In which the rank that has most sends or receives so many.
  void add_step(std::int64_t messages, std::int64_t copies);
};

/// problem.network and problem.host are there, and the algorithm can run. A library's broadcast at
/// the end is not in it. Time: links on the paths
/// of all messages; memory: the schedules of all ranks, or one where these are alike (Symmetry) and
/// blocks are equal. By a window, what goes between ranks of a host is copies, whatever its runs of
/// blocks, and `within` is of these.
SharedLinks shared_links(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem,
                         const HostSpeeds& within = {},
                         algorithms::Via via = algorithms::Via::messages);

/// Seconds: the start-ups, one after the other, and the bytes at the bandwidth of a host's link.
/// Each step has one start-up, and model.further of one for each further transfer: of a copy's,
/// window.alpha, for copies. The bytes of a step's transfers overlap: on a torus of D dimensions
/// all 2D links of a rank that has 2D peers are busy at once. `scale` multiplies the bytes.
double contention_seconds(const SharedLinks& use, const ContentionModel& model, double scale = 1,
                          const HostWindow& window = {});

}  // namespace gatherbench::cost
