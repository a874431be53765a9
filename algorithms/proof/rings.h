// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "algorithms/proof/findings.h"
#include "algorithms/schedule.h"

namespace gatherbench::proof {

/// The component rings of a round (Loch 2021, 5.2): where each rank sends to one rank and receives
/// from one, following the messages leads around disjoint rings.
struct Rings {
  std::string fault;                    ///< empty, or why the round has no rings
  std::vector<std::vector<int>> ranks;  ///< of each ring, from its lowest rank, as they send
};

/// `rounds` are those of the schedules of all ranks. Messages without blocks do not count.
std::vector<Rings> find_rings(std::span<const algorithms::Schedule> schedules,
                              const Rounds& rounds);

}  // namespace gatherbench::proof
