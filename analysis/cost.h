// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/registry.h"

// What an all-gather costs in models, summed over its schedule. A library's broadcast at the end is
// not in it.
namespace gatherbench::analysis {

/// What one rank's port carries: of every step the direction that has more, added up. One port a
/// rank sends and receives at a time, one message each way (Loch 2021, 2.4).
struct PortUse {
  std::int64_t peers = 0;  ///< transfers: to a peer go all messages of a step at one start-up
  std::int64_t bytes = 0;
  auto operator<=>(const PortUse&) const = default;
};

/// Of all ranks, each different one once.
std::vector<PortUse> port_uses(const algorithms::Algorithm& algorithm,
                               const algorithms::Problem& problem);

/// Hockney's model: a message of n bytes takes alpha + n beta. Seconds and seconds a byte.
struct Hockney {
  double alpha;
  double beta;
};

/// Seconds of the rank that works longest, its steps one after the other; waiting for others is
/// not in it, which no algorithm has where all ranks do alike. `scale` multiplies the bytes.
double hockney_seconds(std::span<const PortUse> uses, const Hockney& model, double scale = 1);

/// Sum over all messages of their bytes times the distance of the machines, |number - number|
/// (Loch 2021, 5.3). `machine` has the number of every rank's machine.
std::int64_t hop_bytes(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem,
                       std::span<const int> machine);

/// Bytes over the most loaded direction of a link of problem.switches: a lower bound on the time,
/// times the link's seconds a byte.
std::int64_t most_loaded_link_bytes(const algorithms::Algorithm& algorithm,
                                    const algorithms::Problem& problem);

}  // namespace gatherbench::analysis
