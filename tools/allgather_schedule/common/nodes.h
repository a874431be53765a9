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

/// Of ranks that were placed by their hosts or their number: the nodes that they are on, and the
/// most ranks that one of these has.
RanksOnNodes found_on_nodes(const algorithms::Placement& placement);

/// --nodes and --mapping, beside --ranks-per-node and --ranks.
struct NodeOptions {
  std::string nodes;
  std::string mapping;

  /// Returns --nodes.
  text::Option add_to(text::OptionTable& table);
  [[nodiscard]] bool given() const { return !nodes.empty() || !mapping.empty(); }
  /// Every combination of the lists; no ranks: as many as there is room for. Throws InputError.
  [[nodiscard]] std::vector<RanksOnNodes> combine(const std::string& ranks_per_node,
                                                  const std::string& ranks, int max_ranks) const;
};

/// These with --ranks-per-node and --ranks, for commands that need nodes.
struct SlotOptions {
  NodeOptions nodes;
  std::string ranks_per_node;
  std::string ranks;

  /// The first two are needed, or can be left out.
  void add_to(text::OptionTable& table, bool needed);
  [[nodiscard]] std::vector<RanksOnNodes> combine(int max_ranks) const {
    return nodes.combine(ranks_per_node, ranks, max_ranks);
  }
};

}  // namespace gatherbench::allgather_schedule
