// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/pruned_tree.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace gatherbench::topology {
namespace {

/// Marks these hosts among those of the whole tree.
std::vector<bool> mark(const SwitchTree& tree, std::span<const int> hosts) {
  std::vector<bool> takes_part(static_cast<std::size_t>(tree.hosts()));
  for (const int host : hosts) takes_part[static_cast<std::size_t>(host)] = true;
  return takes_part;
}

/// Hosts that take part on and below each switch. Ids grow downwards.
std::vector<int> count_below(const SwitchTree& tree, const std::vector<bool>& takes_part) {
  std::vector<int> below(static_cast<std::size_t>(tree.switches()));
  for (int id = tree.switches() - 1; id >= 0; --id) {
    int& count = below[static_cast<std::size_t>(id)];
    for (const int host : tree.hosts_on(id)) count += takes_part[static_cast<std::size_t>(host)];
    if (id != SwitchTree::root) below[static_cast<std::size_t>(tree.parent(id))] += count;
  }
  return below;
}

/// The lowest switch with as many hosts below it as the root.
int lowest_above_all(const std::vector<int>& below) {
  const auto lowest = std::find(below.rbegin(), below.rend(), below[SwitchTree::root]);
  return static_cast<int>(below.rend() - lowest) - 1;
}

}  // namespace

std::vector<PrunedSwitch> prune(const SwitchTree& tree, std::span<const int> hosts) {
  const std::vector<bool> takes_part = mark(tree, hosts);
  const std::vector<int> below = count_below(tree, takes_part);
  if (below[SwitchTree::root] == 0) return {};
  const int root = lowest_above_all(below);
  std::vector<PrunedSwitch> pruned;
  std::vector<int> index(below.size(), -1);
  for (int id = root; id < tree.switches(); ++id) {
    if (below[static_cast<std::size_t>(id)] == 0) continue;
    const int self = static_cast<int>(pruned.size());
    index[static_cast<std::size_t>(id)] = self;
    const int parent = id == root ? -1 : index[static_cast<std::size_t>(tree.parent(id))];
    if (parent >= 0) pruned[static_cast<std::size_t>(parent)].children.push_back(self);
    pruned.push_back({id, parent, {}, {}});
    std::ranges::copy_if(tree.hosts_on(id), std::back_inserter(pruned.back().hosts),
                         [&](int host) { return takes_part[static_cast<std::size_t>(host)]; });
  }
  return pruned;
}

std::vector<int> join(std::span<const std::vector<Part>> parts) {
  std::vector<int> order;
  if (parts.empty()) return order;
  std::vector<Part> open(parts[0].rbegin(), parts[0].rend());
  while (!open.empty()) {
    const Part part = open.back();
    open.pop_back();
    if (part.is_host) {
      order.push_back(part.index);
    } else {
      const std::vector<Part>& inner = parts[static_cast<std::size_t>(part.index)];
      open.insert(open.end(), inner.rbegin(), inner.rend());
    }
  }
  return order;
}

}  // namespace gatherbench::topology
