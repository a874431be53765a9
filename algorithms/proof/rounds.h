// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/proof/findings.h"
#include "algorithms/schedule.h"

namespace gatherbench::proof {

/// Returns the rounds in which the steps of all ranks meet, as they proceed in the proof.
Rounds find_rounds(std::span<const algorithms::Schedule> schedules, const Assumptions& assumptions);

/// The component rings of a round (Loch 2021, 5.2): where each rank sends to one rank and receives
/// from one, following the messages leads around disjoint rings.
struct Rings {
  std::string fault;                    ///< empty, or why the round has no rings
  std::vector<std::vector<int>> ranks;  ///< of each ring, from its lowest rank, as they send
};

/// Returns the rings of every round. `rounds` are those of the schedules, which are all ranks'.
/// Messages without blocks do not count.
std::vector<Rings> find_rings(std::span<const algorithms::Schedule> schedules,
                              const Rounds& rounds);

/// The bytes that all ranks send in a round, and the part of them that stays on the node. A send is
/// all that a rank sends to one peer.
struct RoundLocality {
  std::int64_t sends = 0;
  std::int64_t sends_on_node = 0;
  std::int64_t bytes = 0;
  std::int64_t bytes_on_node = 0;
  bool operator==(const RoundLocality&) const = default;
};

/// Returns the locality of every round. `block_bytes` has the size of every block, `node` the node
/// of every rank.
std::vector<RoundLocality> find_locality(std::span<const algorithms::Schedule> schedules,
                                         const Rounds& rounds,
                                         std::span<const std::int64_t> block_bytes,
                                         std::span<const int> node);

}  // namespace gatherbench::proof
