// SPDX-License-Identifier: BSD-3-Clause
//
// The contention-free ring with the shortest longest path: Faraj 2006, Algorithm 3, for a bound on
// the path length at a time.
//
// By lemma 8 a ring is contention free if and only if the hosts of each subtree are consecutive.
// That holds for the subtrees below any one switch as root, as the hosts of the other side of each
// link are then consecutive in the ring too. So bottom up, for each subtree, the best ends of its
// arrays under the bound (part_arrays.h) are all that the switch above needs to know. At the root
// the array has to close: cut between two parts, of which a pruned root has at least two.
#include <algorithm>
#include <cstddef>
#include <optional>

#include "algorithms/topology/host_rings.h"
#include "algorithms/topology/part_arrays.h"
#include "algorithms/topology/pruned_tree.h"

namespace gatherbench::topology {
namespace {

using Fronts = std::vector<Front>;  // of each switch of the pruned tree, heights counted from above

/// Empty if no ring has only paths of at most `bound` switches. The root's front is of rings, and
/// counted from its parts.
std::optional<Fronts> find_fronts(const SwitchTree& tree, std::span<const PrunedSwitch> pruned,
                                  int bound) {
  Fronts fronts(pruned.size());
  for (std::size_t i = pruned.size(); i-- > 0;) {
    Front& front = fronts[i];
    front = PartArrays(pruned[i], fronts, bound, tree.switch_name(pruned[i].id)).front();
    const bool is_root = i == 0;
    for (auto& [first, last] : front) {
      if (is_root) continue;
      ++first;
      ++last;
    }
    // Hosts beyond the switch are at least one switch away; the root's last host has its first.
    std::erase_if(front, [&](const Ends& ends) {
      const int path = is_root ? ends.last + 1 + ends.first : std::max(ends.first, ends.last) + 1;
      return path > bound;
    });
    if (front.empty()) return std::nullopt;
  }
  return fronts;
}

}  // namespace

std::vector<int> optimal_ring(const SwitchTree& tree, std::span<const int> hosts) {
  const std::vector<PrunedSwitch> pruned = prune(tree, hosts);
  std::vector<int> ring = depth_first_ring(tree, hosts);
  if (pruned.size() <= 1) return ring;

  // A bound that a ring keeps, and one that none does: a ring over two switches has a path of 2.
  int kept = longest_path(tree, ring);
  int broken = 1;
  std::optional<Fronts> fronts = find_fronts(tree, pruned, kept);
  while (broken + 1 < kept) {
    const int bound = broken + (kept - broken) / 2;
    if (auto tighter = find_fronts(tree, pruned, bound)) {
      fronts = std::move(tighter);
      kept = bound;
    } else {
      broken = bound;
    }
  }

  std::vector<Ends> ends(pruned.size());  // that the array of each switch gets, from its parts
  ends[0] = fronts->at(0).front();
  std::vector<std::vector<Part>> parts(pruned.size());
  for (std::size_t i = 0; i < pruned.size(); ++i) {
    const PartArrays arrays(pruned[i], *fronts, kept, tree.switch_name(pruned[i].id));
    for (const auto& [part, part_ends] : arrays.array(ends[i])) {
      parts[i].push_back(part);
      if (part.is_host) continue;
      ends[static_cast<std::size_t>(part.index)] = {part_ends.first - 1, part_ends.last - 1};
    }
  }
  return join(parts);
}

}  // namespace gatherbench::topology
