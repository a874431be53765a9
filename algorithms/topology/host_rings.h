// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/topology/switch_tree.h"

// The order of hosts around the logical ring on a switch tree, so that no two messages of the ring
// go over one link in one direction: Faraj 2006, section 3.3.2, Algorithms 1, 2 and 3.
//
// All take the hosts that take part (in any order; one that stands twice counts once: the hosts of
// the ranks will do) and see the tree as pruned to them: only switches on a path between two of
// them exist. A ring has each host once; its first host follows its last. Any host could be the
// first one. Without hosts a ring is empty. Ranks on one host belong together in the ring.
namespace gatherbench::topology {

// The tree that host rings are made on: a switch tree as the hosts that take part see it.

/// A switch on a path between hosts that take part.
struct PrunedSwitch {
  int id;                     ///< in the SwitchTree
  int parent;                 ///< in the pruned tree; -1 for its root
  std::vector<int> children;  ///< in the pruned tree
  std::vector<int> hosts;     ///< those on it that take part
};

/// Returns the switches on the paths between these hosts (in any order; one that stands twice
/// counts once), those above before those below, in the SwitchTree's order. The first one is the
/// root: the lowest switch with all hosts on it or below it. So every leaf has hosts, and the root
/// has at least two hosts and children together, unless there is only one host. Empty without
/// hosts.
std::vector<PrunedSwitch> prune(const SwitchTree& tree, std::span<const int> hosts);

/// The hosts that a contention-free ring has together: one, or all of a subtree (Faraj 2006, lemma
/// 8: it is contention free if and only if the hosts of each subtree are consecutive).
struct Part {
  bool is_host;
  int index;  ///< the host, or the child in the pruned tree
};

/// Returns the order of all hosts, from the order of the parts of each switch of the pruned tree.
std::vector<int> join(std::span<const std::vector<Part>> parts);

/// Returns a contention-free ring (Algorithm 1): the switches in depth-first order, the hosts of
/// each together.
std::vector<int> depth_first_ring(const SwitchTree& tree, std::span<const int> hosts);

/// Returns one line that names the first switch with fewer hosts than neighbour switches (theorem
/// 3); none if these hosts have a contention-free ring without a path of more than 2 switches.
std::optional<std::string> why_not_in_two_hops(const SwitchTree& tree, std::span<const int> hosts);

/// Returns a contention-free ring without a path of more than 2 switches (Algorithm 2), for hosts
/// with which why_not_in_two_hops() returns none.
std::vector<int> two_hop_ring(const SwitchTree& tree, std::span<const int> hosts);

/// Returns a contention-free ring whose longest path is the shortest of all (Algorithm 3); exact.
///
/// Faraj tries all orders of the subtrees of a switch, in a time that is exponential in the number
/// of child switches. Here it is exponential only in the number of their *kinds* (PartArrays in
/// optimal_ring.cpp). Throws InputError that names the switch if that takes more than 2^22 states
/// (64 MiB) at one switch.
std::vector<int> optimal_ring(const SwitchTree& tree, std::span<const int> hosts);

/// Returns the longest path, in switches, from a host of a ring to the next one; 0 for one host.
int longest_path(const SwitchTree& tree, std::span<const int> ring);

}  // namespace gatherbench::topology
