// SPDX-License-Identifier: BSD-3-Clause
//
// Rings of hosts on a switch tree that need no search: Faraj 2006, Algorithms 1 and 2.
//
//        s0: a b          depth first  a b c d e   longest path 3: e (s2), s1, s0, a
//        |                two hops     a c e d b   longest path 2: a c, c e, e d, d b
//        s1: c d
//        |
//        s2: e
#include "algorithms/topology/host_rings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace gatherbench::topology {
namespace {

/// Returns, for each host of the whole tree, whether it is one of these.
std::vector<bool> mark(const SwitchTree& tree, std::span<const int> hosts) {
  std::vector<bool> takes_part(static_cast<std::size_t>(tree.hosts()));
  for (const int host : hosts) takes_part[static_cast<std::size_t>(host)] = true;
  return takes_part;
}

/// Returns the number of hosts that take part on and below each switch. Ids of switches grow
/// downwards, so a pass from the last one adds up all.
std::vector<int> count_below(const SwitchTree& tree, const std::vector<bool>& takes_part) {
  std::vector<int> below(static_cast<std::size_t>(tree.switches()));
  for (int id = tree.switches() - 1; id >= 0; --id) {
    int& count = below[static_cast<std::size_t>(id)];
    for (const int host : tree.hosts_on(id)) count += takes_part[static_cast<std::size_t>(host)];
    if (id != SwitchTree::root) below[static_cast<std::size_t>(tree.parent(id))] += count;
  }
  return below;
}

/// Returns the lowest switch with as many hosts on and below it as the root.
int lowest_above_all(const std::vector<int>& below) {
  const auto lowest = std::find(below.rbegin(), below.rend(), below[SwitchTree::root]);
  return static_cast<int>(below.rend() - lowest) - 1;
}

std::string counted(std::size_t count, std::string_view noun, std::string_view plural_ending) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : plural_ending);
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

std::vector<int> depth_first_ring(const SwitchTree& /*tree*/, std::span<const int> hosts) {
  // Hosts are numbered in the depth-first order of their switches.
  std::vector<int> ring(hosts.begin(), hosts.end());
  std::ranges::sort(ring);
  ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
  return ring;
}

std::optional<std::string> why_not_in_two_hops(const SwitchTree& tree, std::span<const int> hosts) {
  for (const PrunedSwitch& each : prune(tree, hosts)) {
    const std::size_t neighbours = each.children.size() + (each.parent < 0 ? 0 : 1);
    if (each.hosts.size() >= neighbours) continue;
    return fmt::format("switch {} has {} and {}; a two-hop ring needs at least as many hosts",
                       tree.switch_name(each.id),
                       counted(each.hosts.size(), "participating host", "s"),
                       counted(neighbours, "neighbour switch", "es"));
  }
  return std::nullopt;
}

std::vector<int> two_hop_ring(const SwitchTree& tree, std::span<const int> hosts) {
  std::vector<std::vector<Part>> parts;
  for (const PrunedSwitch& each : prune(tree, hosts)) {
    // Children stand between hosts, so that every path to a child comes from a host of the switch.
    // Below the root there are more hosts than children, so that the last part is a host too.
    std::vector<Part>& order = parts.emplace_back();
    for (std::size_t i = 0; i < each.hosts.size(); ++i) {
      order.push_back({true, each.hosts[i]});
      if (i < each.children.size()) order.push_back({false, each.children[i]});
    }
  }
  return join(parts);
}

int longest_path(const SwitchTree& tree, std::span<const int> ring) {
  int longest = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const int next = ring[i + 1 < ring.size() ? i + 1 : 0];
    longest = std::max(longest, tree.path_length(ring[i], next));
  }
  return longest;
}

}  // namespace gatherbench::topology
