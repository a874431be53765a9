// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/placement.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "algorithms/topology/switch_tree.h"
#include "algorithms/topology/torus.h"
#include "bench/host/rank_zero.h"
#include "formats/text/input_error.h"
#include "formats/text/read_file.h"

namespace gatherbench::bench {
namespace {

/// Returns the host of the tree with a node's own name. Throws InputError if there is none.
int find_host(const topology::SwitchTree& tree, const std::string& name, const std::string& file) {
  if (const std::optional<int> host = tree.find_host(name)) return *host;
  std::vector<std::string_view> known;
  for (int i = 0; i < tree.hosts(); ++i) known.push_back(tree.host_name(i));
  throw text::unknown_name(fmt::format("--topology {}", file), "host in it", name, known);
}

algorithms::Placement find_hosts(const Options& options, const Nodes& nodes, MPI_Comm world) {
  std::shared_ptr<const topology::SwitchTree> tree;
  if (!options.topology.empty()) {
    topology::require_no_torus("--topology", options.topology);
    const std::string text = text_of_rank_zero(
        world, [&] { return text::read_config_file("--topology", options.topology); });
    const std::vector<std::string> real =
        options.ranks_per_node ? std::vector<std::string>() : nodes.hosts;
    tree = std::make_shared<const topology::SwitchTree>(
        topology::SwitchTree::parse(options.topology, text, real));
  }
  if (options.ranks_per_node) {
    return algorithms::pretended_placement(static_cast<int>(nodes.of_rank.size()),
                                           static_cast<int>(*options.ranks_per_node),
                                           std::move(tree));
  }
  algorithms::Placement placement{.node = nodes.of_rank, .network = tree, .host = {}};
  if (tree != nullptr) {
    for (const int node : nodes.of_rank) {
      const std::string& name = nodes.hosts[static_cast<std::size_t>(node)];
      placement.host.push_back(find_host(*tree, name, options.topology));
    }
  }
  return placement;
}

}  // namespace

algorithms::Placement find_placement(const Options& options, const Nodes& nodes, MPI_Comm world) {
  algorithms::Placement placement = find_hosts(options, nodes, world);
  placement.root = options.root.value_or(0);
  if (options.combines()) {
    placement.element_bytes = options.combined_by.type->bytes;
    placement.commutes = options.combined_by.operation->commutes;
  }
  if (options.datatype) placement.element_bytes = options.datatype->element.bytes;
  const auto ranks = static_cast<int>(nodes.of_rank.size());
  if (placement.root >= ranks) {
    throw text::bad_value("--root", fmt::to_string(placement.root),
                          fmt::format("is not between 0 and {}", ranks - 1));
  }
  return placement;
}

algorithms::Placement renumber_placement(const algorithms::Placement& placement,
                                         std::span<const int> order) {
  algorithms::Placement reordered = placement;
  reordered.node.clear();
  reordered.host.clear();
  for (const int rank : order) {
    const auto old = static_cast<std::size_t>(rank);
    reordered.node.push_back(placement.node[old]);
    if (!placement.host.empty()) reordered.host.push_back(placement.host[old]);
  }
  return reordered;
}

}  // namespace gatherbench::bench
