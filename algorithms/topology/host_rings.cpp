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

#include "algorithms/topology/pruned_tree.h"

namespace gatherbench::topology {
namespace {

std::string counted(std::size_t count, std::string_view noun, std::string_view plural_ending) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : plural_ending);
}

}  // namespace

std::vector<int> depth_first_ring(const SwitchTree& /*tree*/, std::span<const int> hosts) {
  // Their numbers are in the depth-first order of their switches.
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
    // Children between hosts, so that every path to a child comes from its parent's hosts; below
    // the root, there is a host more than children, so that the last part is a host too.
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
