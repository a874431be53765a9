// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/node_groups.h"

#include <algorithm>
#include <unordered_map>

namespace gatherbench::algorithms {

int NodeGroups::smallest() const {
  std::size_t least = ranks.front().size();
  for (const auto& group : ranks) least = std::min(least, group.size());
  return static_cast<int>(least);
}

int NodeGroups::largest() const {
  std::size_t most = 0;
  for (const auto& group : ranks) most = std::max(most, group.size());
  return static_cast<int>(most);
}

bool NodeGroups::contiguous() const {
  return std::ranges::all_of(ranks, [](const std::vector<int>& group) {
    return group.back() - group.front() == static_cast<int>(group.size()) - 1;
  });
}

NodeGroups node_groups(const Problem& problem) {
  NodeGroups groups;
  std::unordered_map<int, int> number;  // by the caller's number of the node
  for (int rank = 0; rank < problem.ranks; ++rank) {
    const int node = problem.node.empty() ? 0 : problem.node[static_cast<std::size_t>(rank)];
    const auto [found, is_new] = number.try_emplace(node, groups.count());
    if (is_new) groups.ranks.emplace_back();
    auto& group = groups.ranks[static_cast<std::size_t>(found->second)];
    if (rank == problem.rank) {
      groups.node = found->second;
      groups.place = static_cast<int>(group.size());
    }
    group.push_back(rank);
  }
  return groups;
}

}  // namespace gatherbench::algorithms
