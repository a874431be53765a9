// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/node_groups.h"

#include <algorithm>
#include <vector>

namespace gatherbench::algorithms {

NodeGroups::NodeGroups(const Problem& problem) : all_(of_all_ranks(problem)) {
  ranks = all_->groups;
  node = all_->node[static_cast<std::size_t>(problem.rank)];
  place = all_->place[static_cast<std::size_t>(problem.rank)];
}

bool NodeGroups::contiguous() const {
  return std::ranges::all_of(ranks, [](const std::vector<int>& group) {
    return group.back() - group.front() == static_cast<int>(group.size()) - 1;
  });
}

int NodeGroups::period() const {
  return min_ranks() == max_ranks() && contiguous() ? max_ranks()
                                                    : static_cast<int>(all_->node.size());
}

NodeGroups::OfAllRanks::OfAllRanks(int ranks, std::span<const int> node_of_rank)
    : given(node_of_rank.begin(), node_of_rank.end()) {
  // For each of the caller's node numbers, 1 + our number of that node; 0: not met yet.
  std::vector<int> number(given.empty() ? 1
                                        : static_cast<std::size_t>(std::ranges::max(given)) + 1);
  for (int rank = 0; rank < ranks; ++rank) {
    int& met = number[given.empty() ? 0 : static_cast<std::size_t>(given[node.size()])];
    if (met == 0) {
      groups.emplace_back();
      met = static_cast<int>(groups.size());
    }
    auto& group = groups[static_cast<std::size_t>(met) - 1];
    node.push_back(met - 1);
    place.push_back(static_cast<int>(group.size()));
    group.push_back(rank);
  }
  const auto size = [](const std::vector<int>& group) { return static_cast<int>(group.size()); };
  min_ranks = size(std::ranges::min(groups, {}, size));
  max_ranks = size(std::ranges::max(groups, {}, size));
}

std::shared_ptr<const NodeGroups::OfAllRanks> NodeGroups::of_all_ranks(const Problem& problem) {
  thread_local std::shared_ptr<const OfAllRanks> last;
  const auto ranks = static_cast<std::size_t>(problem.ranks);
  if (!last || last->node.size() != ranks || !std::ranges::equal(last->given, problem.node)) {
    last = std::make_shared<const OfAllRanks>(problem.ranks, problem.node);
  }
  return last;
}

NodeGroups node_groups(const Problem& problem) { return NodeGroups(problem); }

}  // namespace gatherbench::algorithms
