// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/rounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/messages/transfer_bytes.h"
#include "algorithms/proof/symbolic_run.h"

namespace gatherbench::proof {

Rounds find_rounds(std::span<const algorithms::Schedule> schedules,
                   const Assumptions& assumptions) {
  Rounds rounds;
  rounds.ranks.resize(schedules.size());
  rounds.fault = SymbolicRun(schedules, assumptions, &rounds).run().fault;
  return rounds;
}

namespace {

/// Returns the rings of a round, or a fault unless each rank has one receiver, which no other has.
Rings follow(const std::vector<std::vector<int>>& receivers) {
  const std::size_t p = receivers.size();
  std::vector<int> senders(p, 0);
  for (std::size_t rank = 0; rank < p; ++rank) {
    if (receivers[rank].size() != 1) {
      return {fmt::format("rank {} sends to {} ranks", rank, receivers[rank].size()), {}};
    }
    ++senders[static_cast<std::size_t>(receivers[rank][0])];
  }
  // The ranks send as many messages as there are ranks: if one receives several, another receives
  // none.
  if (const auto several = std::ranges::find_if(senders, [](int count) { return count > 1; });
      several != senders.end()) {
    return {fmt::format("rank {} receives from {} ranks", several - senders.begin(), *several), {}};
  }
  Rings rings;
  std::vector<bool> seen(p, false);
  for (std::size_t first = 0; first < p; ++first) {
    if (seen[first]) continue;
    std::vector<int>& ring = rings.ranks.emplace_back();
    for (std::size_t rank = first; !seen[rank];
         rank = static_cast<std::size_t>(receivers[rank][0])) {
      seen[rank] = true;
      ring.push_back(static_cast<int>(rank));
    }
  }
  return rings;
}

}  // namespace

std::vector<Rings> find_rings(std::span<const algorithms::Schedule> schedules,
                              const Rounds& rounds) {
  std::vector<std::vector<std::vector<int>>> receivers(
      rounds.count, std::vector<std::vector<int>>(schedules.size()));
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    for (std::size_t s = 0; s < schedules[rank].steps(); ++s) {
      const algorithms::TransferList::Transfers sends = schedules[rank].step(s).sends;
      for (std::size_t i = 0; i < sends.size(); ++i) {
        if (sends[i].blocks.empty()) continue;
        receivers[rounds.ranks[rank][s].sends[i]][rank].push_back(sends[i].peer);
      }
    }
  }
  std::vector<Rings> found;
  for (const auto& round : receivers) found.push_back(follow(round));
  return found;
}

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
