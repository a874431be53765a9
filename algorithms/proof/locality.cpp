// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/locality.h"

#include "algorithms/messages/transfer_bytes.h"

namespace gatherbench::proof {

std::vector<RoundLocality> find_locality(std::span<const algorithms::Schedule> schedules,
                                         const Rounds& rounds,
                                         std::span<const std::int64_t> block_bytes,
                                         std::span<const int> node) {
  const messages::TransferBytes bytes_of(block_bytes, schedules[0].segmentation);
  std::vector<RoundLocality> found(rounds.count);
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    for (std::size_t s = 0; s < schedules[rank].steps(); ++s) {
      const algorithms::TransferList::Transfers sends = schedules[rank].step(s).sends;
      for (std::size_t i = 0; i < sends.size(); ++i) {
        const std::int64_t bytes = bytes_of.of(sends[i]);
        const bool on_node = node[rank] == node[static_cast<std::size_t>(sends[i].peer)];
        RoundLocality& round = found[rounds.ranks[rank][s].sends[i]];
        ++round.sends;
        round.bytes += bytes;
        if (on_node) {
          ++round.sends_on_node;
          round.bytes_on_node += bytes;
        }
      }
    }
  }
  return found;
}

}  // namespace gatherbench::proof
