// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/placement.h"
#include "formats/text/option_table.h"

// Ranks on nodes under a mapping, for the commands that ask where ranks are.
namespace gatherbench::allgather_schedule {

/// Some ranks on nodes with room for ranks_per_node each.
struct RanksOnNodes {
  int ranks;
  int nodes;
  int ranks_per_node;
  std::string_view mapping;

  [[nodiscard]] algorithms::Placement placement() const;
};

/// Returns the number of nodes of a placement, and the most ranks on one of them.
RanksOnNodes found_on_nodes(const algorithms::Placement& placement);

/// --nodes and --mapping, beside --ranks-per-node and --ranks.
struct NodeOptions {
  std::string nodes;
  std::string mapping;

  /// Adds the options, and returns --nodes.
  text::Option add_to(text::OptionTable& table);
  [[nodiscard]] bool given() const { return !nodes.empty() || !mapping.empty(); }
  /// Returns every combination of the lists. If `ranks` is empty, every node is full. Throws
  /// InputError.
  [[nodiscard]] std::vector<RanksOnNodes> combine(const std::string& ranks_per_node,
                                                  const std::string& ranks, int max_ranks) const;
};

/// The options of NodeOptions with --ranks-per-node and --ranks, for commands that need nodes.
struct SlotOptions {
  NodeOptions nodes;
  std::string ranks_per_node;
  std::string ranks;

  /// Adds the options. --nodes and --ranks-per-node must be given if `needed`.
  void add_to(text::OptionTable& table, bool needed);
  [[nodiscard]] std::vector<RanksOnNodes> combine(int max_ranks) const {
    return nodes.combine(ranks_per_node, ranks, max_ranks);
  }
};

}  // namespace gatherbench::allgather_schedule
