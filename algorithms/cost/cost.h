// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/cost/models.h"
#include "algorithms/registry.h"

// The cost of a collective in models, summed over its schedule. A library's broadcast at the end is
// not in it. Sums of bytes are floating-point numbers: of large blocks they pass 2^63.
namespace gatherbench::cost {

/// The load of one rank's port: of every step the direction that has more, added up. A rank has one
/// port and sends and receives at a time, one message each way (Loch 2021, 2.4).
struct PortUse {
  std::int64_t peers = 0;  ///< transfers: to a peer go all messages of a step at one start-up
  std::int64_t further_messages = 0;  ///< messages after the first of their transfer
  double bytes = 0;
  double combined_bytes = 0;  ///< bytes coming in that a reduction combines
  auto operator<=>(const PortUse&) const = default;
};

/// Returns the port uses of all ranks, each different one once. With `further_messages` these are
/// counted, else 0: where blocks lie around the end of the buffer, ranks that are alike in all else
/// differ in them. A message has up to `most_runs` runs of blocks, one or more.
std::vector<PortUse> port_uses(const algorithms::Algorithm& algorithm,
                               const algorithms::Problem& problem, bool further_messages = false,
                               std::int64_t most_runs = 1);

/// Returns the seconds, by Hockney's model, of the rank that works longest, its steps one after the
/// other. They do not include waiting for others, which no algorithm has where all ranks do alike.
/// `scale` multiplies the bytes.
double hockney_seconds(std::span<const PortUse> uses, const Hockney& model, double scale = 1);

/// Returns the seconds, by Hockney's model, of the rank that works longest by `via=window`, with
/// the problem's blocks. What goes between ranks of a node is copies, whatever its runs, and of
/// each step the direction counts that takes longer. A message has up to `most_runs` runs of
/// blocks, one or more. Time: the transfers of all ranks.
double hockney_window_seconds(const algorithms::Algorithm& algorithm,
                              const algorithms::Problem& problem, const Hockney& model,
                              const HostWindow& window, std::int64_t most_runs = 1);

/// Returns the least time that a collective takes with one port a rank: ceil(log2 p) steps, since
/// what a rank knows of, or how many ranks know of it, at most doubles in one; and the bytes that a
/// rank receives.
double hockney_bound_seconds(int ranks, double received_bytes, const Hockney& model);

/// Returns the sum over all messages of their bytes times the distance of the nodes,
/// |number - number| (Loch 2021, 5.3). `node` has the number of every rank's node.
double hop_bytes(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem,
                 std::span<const int> node);

/// Returns the bytes over the most loaded direction of a link of problem.network; 0 if it has no
/// links. Times the link's seconds a byte, they are a lower bound on the time.
double maximum_link_bytes(const algorithms::Algorithm& algorithm,
                          const algorithms::Problem& problem);

}  // namespace gatherbench::cost
