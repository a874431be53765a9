// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_map>
#include <utility>

#include "algorithms/topology/switch_tree.h"
#include "formats/text/input_error.h"

namespace gatherbench::algorithms {

Placement pretended_placement(int ranks, int ranks_per_node,
                              std::shared_ptr<const topology::Network> network) {
  Placement placement;
  placement.node.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) placement.node.push_back(rank / ranks_per_node);
  if (network == nullptr) return placement;
  const int nodes = placement.node.back() + 1;
  if (nodes > network->hosts()) {
    const topology::SwitchTree* const tree = network->tree();
    throw text::InputError(fmt::format(
        "--topology: has {} hosts; {} ranks, {} on each, take {} (--ranks-per-node){}{}",
        network->hosts(), ranks, ranks_per_node, nodes,
        tree == nullptr || tree->notes().empty() ? "" : "; ",
        tree == nullptr ? "" : fmt::format("{}", fmt::join(tree->notes(), "; "))));
  }
  placement.host = placement.node;
  placement.network = std::move(network);
  return placement;
}

Placement placement_on(std::string_view option, std::span<const std::string> hosts, int ranks,
                       int ranks_per_node, std::shared_ptr<const topology::Network> network) {
  const auto needed = static_cast<std::size_t>((ranks - 1) / ranks_per_node) + 1;
  if (hosts.size() < needed) {
    throw text::InputError(fmt::format("{}: has {} hosts; {} ranks, {} on each, take {}", option,
                                       hosts.size(), ranks, ranks_per_node, needed));
  }
  Placement placement;
  placement.network = std::move(network);
  std::unordered_map<std::string_view, int> nodes;
  std::vector<int> host;  // of each node, in the tree
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string& name = hosts[static_cast<std::size_t>(rank / ranks_per_node)];
    const auto [node, is_new] = nodes.emplace(name, static_cast<int>(nodes.size()));
    placement.node.push_back(node->second);
    if (placement.network == nullptr) continue;
    if (is_new) host.push_back(placement.network->require_host(option, name));
    placement.host.push_back(host[static_cast<std::size_t>(node->second)]);
  }
  return placement;
}

}  // namespace gatherbench::algorithms
