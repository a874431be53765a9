// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/pruned_tree.h"

#include <cstddef>

namespace gatherbench::topology {

std::vector<PrunedSwitch> prune(const SwitchTree& tree, std::span<const int> hosts) {
  std::vector<bool> takes_part(static_cast<std::size_t>(tree.hosts()));
  for (const int host : hosts) takes_part[static_cast<std::size_t>(host)] = true;

  // Hosts that take part on and below each switch. Ids grow downwards.
  std::vector<int> below(static_cast<std::size_t>(tree.switches()));
  for (int id = tree.switches() - 1; id >= 0; --id) {
    int& count = below[static_cast<std::size_t>(id)];
    for (const int host : tree.hosts_on(id)) count += takes_part[static_cast<std::size_t>(host)];
    if (id != SwitchTree::root) below[static_cast<std::size_t>(tree.parent(id))] += count;
  }
  const int all = below[SwitchTree::root];
  if (all == 0) return {};
  int root = SwitchTree::root;
  for (int id = root; id < tree.switches(); ++id) {
    if (below[static_cast<std::size_t>(id)] == all) root = id;
  }

  std::vector<PrunedSwitch> pruned;
  std::vector<int> index(below.size(), -1);
  for (int id = root; id < tree.switches(); ++id) {
    if (below[static_cast<std::size_t>(id)] == 0) continue;
    const int self = static_cast<int>(pruned.size());
    index[static_cast<std::size_t>(id)] = self;
    const int parent = id == root ? -1 : index[static_cast<std::size_t>(tree.parent(id))];
    if (parent >= 0) pruned[static_cast<std::size_t>(parent)].children.push_back(self);
    pruned.push_back({id, parent, {}, {}});
    for (const int host : tree.hosts_on(id)) {
      if (takes_part[static_cast<std::size_t>(host)]) pruned.back().hosts.push_back(host);
    }
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
