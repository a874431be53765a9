// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/node_groups.h"

#include <algorithm>
#include <vector>

namespace gatherbench::algorithms {

int NodeGroups::min_ranks() const {
  std::size_t min = ranks.front().size();
  for (const auto& group : ranks) min = std::min(min, group.size());
  return static_cast<int>(min);
}

int NodeGroups::max_ranks() const {
  std::size_t max = 0;
  for (const auto& group : ranks) max = std::max(max, group.size());
  return static_cast<int>(max);
}

bool NodeGroups::contiguous() const {
  return std::ranges::all_of(ranks, [](const std::vector<int>& group) {
    return group.back() - group.front() == static_cast<int>(group.size()) - 1;
  });
}

NodeGroups node_groups(const Problem& problem) {
  NodeGroups groups;
  // Our number of each node, by the caller's number; 0: not met yet.
  std::vector<int> number(
      problem.node.empty() ? 1 : static_cast<std::size_t>(std::ranges::max(problem.node)) + 1);
  for (int rank = 0; rank < problem.ranks; ++rank) {
    const int node = problem.node.empty() ? 0 : problem.node[static_cast<std::size_t>(rank)];
    int& met = number[static_cast<std::size_t>(node)];
    if (met == 0) {
      groups.ranks.emplace_back();
      met = groups.count();
    }
    auto& group = groups.ranks[static_cast<std::size_t>(met) - 1];
    if (rank == problem.rank) {
      groups.node = met - 1;
      groups.place = static_cast<int>(group.size());
    }
    group.push_back(rank);
  }
  return groups;
}

}  // namespace gatherbench::algorithms
