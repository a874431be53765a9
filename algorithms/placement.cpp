// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/placement.h"

#include <fmt/format.h>

#include <utility>

#include "text/input_error.h"

namespace gatherbench::algorithms {

Placement pretended_placement(int ranks, int ranks_per_node,
                              std::shared_ptr<const topology::SwitchTree> switches) {
  Placement placement;
  placement.node.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) placement.node.push_back(rank / ranks_per_node);
  if (switches == nullptr) return placement;
  const int nodes = placement.node.back() + 1;
  if (nodes > switches->hosts()) {
    throw text::InputError(fmt::format(
        "--topology: the file has {} hosts; {} ranks, {} on each, take {} (--ranks-per-node)",
        switches->hosts(), ranks, ranks_per_node, nodes));
  }
  placement.host = placement.node;
  placement.switches = std::move(switches);
  return placement;
}

}  // namespace gatherbench::algorithms
