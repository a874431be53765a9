// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem.h"
#include "algorithms/schedule.h"

// Orders of the ranks for a flat algorithm: "ring@switch". The rank at position k of the order does
// what rank k of the algorithm does, and block k is that rank's. A flat algorithm is one that knows
// neither nodes nor switches nor arrivals.
namespace gatherbench::algorithms {

/// The facts that an order is made from.
enum class OrderedBy { switches, nodes, block_sizes };

struct NamedOrder {
  std::string_view name;
  std::string_view summary;  ///< one line for --list
  OrderedBy by;
  RankOrder* ranks;  ///< a permutation: at each position its rank
};

/// Returns the one table of named orders.
std::span<const NamedOrder> named_orders();

/// Returns the order of that name; null if there is none.
const NamedOrder* find_order(std::string_view name);

/// Returns why the order cannot be made for this problem, for people; none if it can.
std::optional<std::string> why_not(const NamedOrder& order, const Problem& problem);

/// Returns the ranks of these hosts, host by host in this order; the ranks of a host ascend.
std::vector<int> ranks_on_hosts(const Problem& problem, std::span<const int> hosts);

/// Returns the ranks with their hosts in depth-first order of the switch tree.
std::vector<int> depth_first_order(const Problem& problem);

/// Returns `flat` with position k as rank order[k] and block k, or its segments, as block order[k]:
/// the schedule of rank order[k] if `flat` is that of rank k. All blocks of a transfer are in
/// ascending order, at their final places: there is no scratch buffer.
Schedule in_order(const Schedule& flat, std::span<const int> order, const Problem& problem);

/// Returns `from_0`, a schedule for root 0, for this root: rank k becomes rank (root + k) mod
/// ranks. Blocks stay what they are.
Schedule from_root(const Schedule& from_0, int root, int ranks);

}  // namespace gatherbench::algorithms
