// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/node_groups.h"

// The parts that are shared by algorithms that need as many ranks on every node.
namespace gatherbench::algorithms {

/// Returns none if all nodes have as many ranks, else "needs as many ranks on every node; ...".
std::optional<std::string> why_not_on_nodes(const Problem& problem);

inline constexpr Needs equal_nodes{"equal nodes", why_not_on_nodes};

/// Returns all blocks of these nodes, ascending.
std::vector<BlockRange> blocks_of_nodes(const NodeGroups& nodes, std::span<const int> numbers);

/// Adds a step in which the rank at place j of the own node sends `brought[j]` to each other rank
/// of the node. Adds none if there is nothing to send or receive.
void add_node_exchange(Schedule& schedule, const NodeGroups& nodes,
                       std::span<const std::vector<BlockRange>> brought);

/// Adds a step in which every rank of the own node sends its own block to each other rank of the
/// node.
void add_own_exchange(Schedule& schedule, const NodeGroups& nodes);

}  // namespace gatherbench::algorithms
