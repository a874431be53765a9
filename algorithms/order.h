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

/// Null if there is none of that name.
const NamedOrder* find_order(std::string_view name);

/// Returns why the order cannot be made for this problem, for people; none if it can.
std::optional<std::string> why_not(const NamedOrder& order, const Problem& problem);

/// The ranks of these hosts in this order of the hosts; the ranks of a host ascending.
std::vector<int> ranks_on_hosts(const Problem& problem, std::span<const int> hosts);

/// Hosts in depth-first order of the switch tree.
std::vector<int> depth_first_order(const Problem& problem);

/// Position k of `flat` becomes the rank order[k], and its block, or the segments of that, become
/// block order[k]: the schedule of rank order[k] if `flat` is that of rank k. All blocks of a
/// transfer are in ascending order, at their final places: there is no scratch buffer.
Schedule in_order(const Schedule& flat, std::span<const int> order, const Problem& problem);

/// Rank k of `from_0` becomes the k-th from the root on, in cyclic order. Blocks stay what they
/// are.
Schedule from_root(const Schedule& from_0, int root, int ranks);

}  // namespace gatherbench::algorithms
