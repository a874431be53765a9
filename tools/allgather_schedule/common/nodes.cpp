// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/common/nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <ranges>
#include <span>

#include "formats/mapping.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::allgather_schedule {
namespace {

/// Returns the words that can be asked for.
std::vector<std::string_view> legal_mappings() {
  std::vector<std::string_view> names;
  for (const formats::MappingWord& each : formats::mappings) {
    if (each.selectable) names.push_back(each.name);
  }
  return names;
}

/// Returns the numbers of ranks on these nodes: the given ones, or as many as there is room for.
/// Throws InputError if there are too many.
std::vector<int> rank_counts(const std::string& ranks, int nodes, int ranks_per_node,
                             int max_ranks) {
  const std::int64_t slots = std::int64_t{nodes} * ranks_per_node;
  if (ranks.empty()) {
    if (slots <= max_ranks) return {static_cast<int>(slots)};
    throw text::bad_value(
        "--nodes", fmt::to_string(nodes),
        fmt::format("with {} ranks each are more than {} ranks", ranks_per_node, max_ranks));
  }
  std::vector<int> counts = text::parse_ranks("--ranks", ranks, max_ranks);
  for (const int count : counts) {
    if (count > slots) {
      throw text::bad_value(
          "--ranks", fmt::to_string(count),
          fmt::format("are more than {} nodes with {} ranks each hold", nodes, ranks_per_node));
    }
  }
  return counts;
}

std::vector<std::string_view> parse_mappings(const std::string& list) {
  const std::vector<std::string_view> mappings = legal_mappings();
  if (list.empty()) return {mappings[0]};
  std::vector<std::string_view> chosen;
  for (const std::string_view mapping : text::split(list, ',')) {
    const auto known = std::ranges::find(mappings, mapping);
    if (known == mappings.end()) {
      throw text::unknown_name("--mapping", "mapping", mapping, mappings);
    }
    if (std::ranges::find(chosen, *known) != chosen.end()) {
      throw text::bad_value("--mapping", mapping, "stands twice in the list");
    }
    chosen.push_back(*known);
  }
  return chosen;
}

/// Returns the word for how ranks lie on so many nodes.
std::string_view mapping_of(std::span<const int> node, int nodes) {
  if (std::ranges::is_sorted(node)) return formats::sequential.name;
  int rank = 0;
  const bool in_turn = std::ranges::all_of(node, [&](int each) { return each == rank++ % nodes; });
  return in_turn ? formats::cyclic.name : formats::custom_placement;
}

}  // namespace

RanksOnNodes found_on_nodes(const algorithms::Placement& placement) {
  std::map<int, int> ranks_on;
  for (const int node : placement.node) ++ranks_on[node];
  const auto nodes = static_cast<int>(ranks_on.size());
  return {static_cast<int>(placement.node.size()), nodes,
          std::ranges::max(std::views::values(ranks_on)), mapping_of(placement.node, nodes)};
}

algorithms::Placement RanksOnNodes::placement() const {
  algorithms::Placement placement;
  for (int rank = 0; rank < ranks; ++rank) {
    placement.node.push_back(mapping == formats::cyclic.name ? rank % nodes
                                                             : rank / ranks_per_node);
  }
  return placement;
}

text::Option NodeOptions::add_to(text::OptionTable& table) {
  const text::Option added = table.add("--nodes", nodes, "Numbers of nodes: 1:64");
  table.add("--mapping", mapping, "sequential, cyclic, or sequential,cyclic [sequential]");
  return added;
}

std::vector<RanksOnNodes> NodeOptions::combine(const std::string& ranks_per_node,
                                               const std::string& ranks, int max_ranks) const {
  const std::vector<std::string_view> chosen = parse_mappings(mapping);
  std::vector<RanksOnNodes> found;
  for (const int count : text::parse_ranks("--nodes", nodes, max_ranks)) {
    for (const int on_node : text::parse_ranks("--ranks-per-node", ranks_per_node, max_ranks)) {
      for (const std::string_view how : chosen) {
        for (const int some : rank_counts(ranks, count, on_node, max_ranks)) {
          found.push_back({some, count, on_node, how});
        }
      }
    }
  }
  return found;
}

void SlotOptions::add_to(text::OptionTable& table, bool needed) {
  nodes.add_to(table).required(needed);
  table.add("--ranks-per-node", ranks_per_node, "Slots of a node: 4,8,16").required(needed);
  table.add("--ranks", ranks, "Numbers of ranks [as many as there are slots]");
}

}  // namespace gatherbench::allgather_schedule
