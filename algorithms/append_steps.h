// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "algorithms/schedule.h"

namespace gatherbench::algorithms {

/// Adds the steps of another schedule with other numbers: `peer(number)` of a rank, and
/// `blocks(ranges)` of the blocks of a transfer, as any range of BlockRange.
template <typename Peer, typename NewBlocks>
void append_steps(Schedule& schedule, const Schedule& from, Peer peer, NewBlocks blocks) {
  for (std::size_t s = 0; s < from.steps(); ++s) {
    const Step step = from.step(s);
    if (step.leaves) schedule.begin_leaving_step();
    if (!step.leaves) schedule.begin_step(step.barrier);
    for (std::size_t i = 0; i < step.sends.size(); ++i) {
      const int to = peer(step.sends[i].peer);
      if (step.sends[i].blocks.empty()) schedule.send_token(to);
      for (const BlockRange range : blocks(step.sends[i].blocks)) schedule.send(to, range);
    }
    for (std::size_t i = 0; i < step.receives.size(); ++i) {
      const int source = peer(step.receives[i].peer);
      if (step.receives[i].blocks.empty()) schedule.receive_token(source);
      for (const BlockRange range : blocks(step.receives[i].blocks)) {
        schedule.receive(source, range, step.receives[i].incoming);
      }
    }
  }
}

}  // namespace gatherbench::algorithms
