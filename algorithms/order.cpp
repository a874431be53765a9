// SPDX-License-Identifier: BSD-3-Clause
//
// Orders of the ranks for flat algorithms.
//   switch   keeps what neighbours send below their switch: for the ring, and for algorithms whose
//            distances fall while what they send grows (Sparbit, recursive halving)
//   node     the same with the nodes alone, where no switch tree is known
//   cyclic   neighbours are on different nodes: for algorithms whose distances grow (recursive
//            doubling, Bruck), so that their large messages stay on the node
//   paired   small blocks beside large ones, so that the pairs, fours, eights, ... of recursive
//            doubling and Bruck have about the same sum
// Source   Mirsadeghi and Afsahi 2016 (switch, node, cyclic); Jocksch et al. 2020 (paired)
#include "algorithms/order.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>

#include "algorithms/binomial_tree.h"
#include "algorithms/node_groups.h"
#include "algorithms/schedule.h"
#include "algorithms/segments.h"
#include "algorithms/topology/host_rings.h"
#include "algorithms/topology/switch_tree.h"

namespace gatherbench::algorithms {
namespace {

std::vector<int> node_order(const Problem& problem) {
  std::vector<int> order;
  for (const std::vector<int>& node : node_groups(problem).ranks) {
    order.insert(order.end(), node.begin(), node.end());
  }
  return order;
}

/// Returns the first rank of each node, then the second ones, and so on.
std::vector<int> cyclic_order(const Problem& problem) {
  const NodeGroups nodes = node_groups(problem);
  std::vector<int> order;
  for (std::size_t place = 0; std::ssize(order) < problem.ranks; ++place) {
    for (const std::vector<int>& node : nodes.ranks) {
      if (place < node.size()) order.push_back(node[place]);
    }
  }
  return order;
}

struct Group {
  std::vector<int> ranks;
  std::int64_t bytes;
};

/// Joins the smallest with the largest group, the second smallest with the second largest, and so
/// on. If their number is odd, the first group stays alone, behind the others.
std::vector<Group> join_in_pairs(std::vector<Group> groups) {
  std::vector<Group> alone;
  if (groups.size() % 2 == 1) {
    alone.push_back(std::move(groups.front()));
    groups.erase(groups.begin());
  }
  std::ranges::stable_sort(groups, {}, &Group::bytes);
  std::vector<Group> joined;
  for (std::size_t i = 0; 2 * i < groups.size(); ++i) {
    Group& small = groups[i];
    const Group& large = groups[groups.size() - 1 - i];
    small.ranks.insert(small.ranks.end(), large.ranks.begin(), large.ranks.end());
    small.bytes += large.bytes;
    joined.push_back(std::move(small));
  }
  if (!alone.empty()) joined.push_back(std::move(alone.front()));
  return joined;
}

std::vector<int> paired_order(const Problem& problem) {
  std::vector<int> ranks(static_cast<std::size_t>(problem.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto bytes = [&problem](int rank) { return problem.bytes(rank); };
  if (std::ranges::adjacent_find(ranks, std::not_equal_to{}, bytes) == ranks.end()) return ranks;
  std::vector<Group> groups;
  groups.reserve(ranks.size());
  for (const int rank : ranks) groups.push_back({{rank}, bytes(rank)});
  while (groups.size() > 1) groups = join_in_pairs(std::move(groups));
  return groups.front().ranks;
}

constexpr std::array orders{
    NamedOrder{"switch", "hosts in depth-first order of the switch tree", OrderedBy::switches,
               depth_first_order},
    NamedOrder{"node", "the ranks of a node together", OrderedBy::nodes, node_order},
    NamedOrder{"paired", "small blocks beside large ones; equal blocks as they are",
               OrderedBy::block_sizes, paired_order},
    NamedOrder{"cyclic", "the first rank of each node, then the second ones", OrderedBy::nodes,
               cyclic_order},
};

/// The map from the flat algorithm's blocks, or segments, to those of the ordered one.
class Renumbering {
 public:
  Renumbering(const Schedule& flat, std::span<const int> order, const Problem& problem)
      : order_(order) {
    if (flat.segmentation == Segmentation{}) return;
    std::vector<std::int64_t> bytes;
    for (int rank = 0; rank < problem.ranks; ++rank) bytes.push_back(problem.bytes(rank));
    const Segments ordered = cut(bytes, flat.segmentation);
    for (const int rank : order) {
      for (int i = 0; i < ordered.count(rank); ++i) {
        segment_.push_back(ordered.first[static_cast<std::size_t>(rank)] + i);
      }
    }
  }
  [[nodiscard]] int peer(int position) const { return order_[static_cast<std::size_t>(position)]; }
  /// Returns the blocks of a transfer, ascending.
  [[nodiscard]] std::vector<BlockRange> blocks(std::span<const BlockRange> flat) const {
    const std::span<const int> numbers = segment_.empty() ? order_ : std::span(segment_);
    std::vector<int> moved;
    for (const BlockRange& range : flat) {
      const auto some = numbers.subspan(static_cast<std::size_t>(range.first),
                                        static_cast<std::size_t>(range.count));
      moved.insert(moved.end(), some.begin(), some.end());
    }
    std::ranges::sort(moved);
    return as_ranges(moved);
  }

 private:
  std::span<const int> order_;
  std::vector<int> segment_;  // empty: blocks stay whole
};

/// Returns a schedule with all that another one says beside its steps.
Schedule without_steps(const Schedule& from) {
  Schedule schedule;
  schedule.segmentation = from.segmentation;
  schedule.broadcast_at_end = from.broadcast_at_end;
  schedule.reserve(from.steps(), from.steps(), from.steps());
  return schedule;
}

}  // namespace

std::span<const NamedOrder> named_orders() { return orders; }

const NamedOrder* find_order(std::string_view name) {
  const auto* const found = std::ranges::find(orders, name, &NamedOrder::name);
  return found == orders.end() ? nullptr : found;
}

std::optional<std::string> why_not(const NamedOrder& order, const Problem& problem) {
  if (order.by != OrderedBy::switches || problem.switches() != nullptr) return std::nullopt;
  return "needs a switch tree: --topology FILE";
}

std::vector<int> ranks_on_hosts(const Problem& problem, std::span<const int> hosts) {
  std::vector<std::vector<int>> ranks_on(static_cast<std::size_t>(problem.network->hosts()));
  for (int rank = 0; rank < problem.ranks; ++rank) {
    const auto host = static_cast<std::size_t>(problem.host[static_cast<std::size_t>(rank)]);
    ranks_on[host].push_back(rank);
  }
  std::vector<int> order;
  for (const int host : hosts) {
    const auto& ranks = ranks_on[static_cast<std::size_t>(host)];
    order.insert(order.end(), ranks.begin(), ranks.end());
  }
  return order;
}

std::vector<int> depth_first_order(const Problem& problem) {
  return ranks_on_hosts(problem, topology::depth_first_ring(*problem.switches(), problem.host));
}

Schedule in_order(const Schedule& flat, std::span<const int> order, const Problem& problem) {
  const Renumbering renumber(flat, order, problem);
  Schedule schedule = without_steps(flat);
  if (flat.broadcast_at_end) schedule.broadcast_root = renumber.peer(flat.broadcast_root);
  append_steps(
      schedule, flat, [&](int position) { return renumber.peer(position); },
      [&](std::span<const BlockRange> blocks) { return renumber.blocks(blocks); });
  return schedule;
}

Schedule from_root(const Schedule& from_0, int root, int ranks) {
  const auto peer = [&](int distance) { return (root + distance) % ranks; };
  Schedule schedule = without_steps(from_0);
  schedule.scratch_first_block = from_0.scratch_first_block;
  if (from_0.broadcast_at_end) schedule.broadcast_root = peer(from_0.broadcast_root);
  append_steps(schedule, from_0, peer, [](std::span<const BlockRange> blocks) { return blocks; });
  return schedule;
}

}  // namespace gatherbench::algorithms
