// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "algorithms/topology/switch_tree.h"

// Trees of hosts for a pipelined broadcast on a switch tree, in which no two hosts send over one
// link in one direction: Faraj 2006, section 3.4, Algorithms 4 and 5.
namespace gatherbench::topology {

/// Returns the hosts that take part in the order of a linear tree (Algorithm 4): `first`, which is
/// one of them, then the others of its switch, then those of the switches in depth-first order from
/// there, where of the neighbours of a switch the one above it comes first. `hosts` may be in any
/// order; one that stands twice counts once. No two messages from a host to the next share a link.
std::vector<int> depth_first_from(const SwitchTree& tree, std::span<const int> hosts, int first);

struct BinaryTree {
  /// Positions of the children of each position in the order: none, one or two, ascending. Position
  /// 0 is the root.
  std::vector<std::vector<int>> children;
  int height;  ///< edges on the longest way from the root
};

/// Returns a binary tree over hosts in the order of Algorithm 4 (a host may stand several times in
/// a row: the ranks there). It has the least height of those that Algorithm 5 looks at. Messages of
/// different positions share no link. Takes time p^3 / 6 and memory p^2 links / 16 bytes.
BinaryTree binary_broadcast_tree(const SwitchTree& tree, std::span<const int> order);

}  // namespace gatherbench::topology
