// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "algorithms/schedule.h"

namespace gatherbench::algorithms {

/// Appends the steps of `from`, with ranks renamed by `peer(rank)` and the blocks of each transfer
/// by `blocks(ranges)`, which returns any range of BlockRange.
template <typename Peer, typename NewBlocks>
void append_steps(Schedule& schedule, const Schedule& from, Peer peer, NewBlocks blocks) {
  for (std::size_t s = 0; s < from.steps(); ++s) {
    const Step step = from.step(s);
    if (step.leaves) schedule.begin_leaving_step();
    if (!step.leaves) schedule.begin_step(step.barrier);
    for (const Transfer send : step.sends) {
      const int to = peer(send.peer);
      if (send.blocks.empty()) schedule.send_token(to);
      for (const BlockRange range : blocks(send.blocks)) schedule.send(to, range);
    }
    for (const Transfer receive : step.receives) {
      const int source = peer(receive.peer);
      if (receive.blocks.empty()) schedule.receive_token(source);
      for (const BlockRange range : blocks(receive.blocks)) {
        schedule.receive(source, range, receive.incoming);
      }
    }
  }
}

}  // namespace gatherbench::algorithms
