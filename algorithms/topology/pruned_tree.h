// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "algorithms/topology/switch_tree.h"

// The tree that host rings are made on: a switch tree as the hosts that take part see it.
namespace gatherbench::topology {

/// A switch on a path between hosts that take part.
struct PrunedSwitch {
  int id;                     ///< in the SwitchTree
  int parent;                 ///< in the pruned tree; -1 for its root
  std::vector<int> children;  ///< in the pruned tree
  std::vector<int> hosts;     ///< those on it that take part
};

/// The switches on the paths between these hosts (in any order; one that stands twice counts once),
/// those above before those below, in the SwitchTree's order. The first one is the root: the lowest
/// switch with all hosts on it or below it. So every leaf has hosts, and the root has at least two
/// hosts and children together, unless there is only one host. Empty without hosts.
std::vector<PrunedSwitch> prune(const SwitchTree& tree, std::span<const int> hosts);

/// The hosts that a contention-free ring has together: one, or all of a subtree (Faraj 2006, lemma
/// 8: it is contention free if and only if the hosts of each subtree are consecutive).
struct Part {
  bool is_host;
  int index;  ///< the host, or the child in the pruned tree
};

/// The order of all hosts, from the order of the parts of each switch of the pruned tree.
std::vector<int> join(std::span<const std::vector<Part>> parts);

}  // namespace gatherbench::topology
