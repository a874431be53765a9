// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/proof/findings.h"
#include "algorithms/schedule.h"

namespace gatherbench::proof {

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
