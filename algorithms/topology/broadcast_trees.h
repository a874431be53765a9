// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "algorithms/topology/switch_tree.h"

// Trees of hosts for a pipelined broadcast on a switch tree, in which no two hosts send over one
// link in one direction: Faraj 2006, section 3.4, Algorithms 4 and 5.
namespace gatherbench::topology {

/// Algorithm 4: the order of a linear tree. The hosts that take part (in any order; one that stands
/// twice counts once), with `first`, one of them, at the beginning, then the others of its switch,
/// then those of the switches in depth-first order from there: of the neighbours of a switch, the
/// one above it comes first. No two messages from a host to the next one share a link.
std::vector<int> depth_first_from(const SwitchTree& tree, std::span<const int> hosts, int first);

struct BinaryTree {
  /// Positions of the children of each position in the order: none, one or two, ascending. Position
  /// 0 is the root.
  std::vector<std::vector<int>> children;
  int height;  ///< edges on the longest way from the root
};

/// Algorithm 5: a binary tree of the least height of those that it looks at, over hosts in the
/// order of Algorithm 4 (a host may stand several times in a row: the ranks there). Messages of
/// different positions share no link. Time p^3 / 6; memory p^2 links / 16 bytes.
BinaryTree binary_broadcast_tree(const SwitchTree& tree, std::span<const int> order);

}  // namespace gatherbench::topology
