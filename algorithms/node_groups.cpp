// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/node_groups.h"

#include <algorithm>
#include <unordered_map>

#include "algorithms/binomial_tree.h"
#include "algorithms/choice.h"

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

void add_inner(Schedule& schedule, const Problem& problem, int own, const std::vector<int>& members,
               const std::vector<std::vector<int>>& blocks) {
  const Algorithm& inner = all_algorithms()[static_cast<std::size_t>(problem.parameter)];
  Problem among = problem_for(choice_of(inner), static_cast<int>(members.size()));
  among.rank = own;
  const Schedule steps = make_schedule(inner, among);
  const auto for_each_range = [&](const Transfer& transfer, const auto& add) {
    std::vector<int> moved;
    for (const BlockRange& range : transfer.blocks) {
      for (int i = range.first; i < range.first + range.count; ++i) {
        const auto& part = blocks[static_cast<std::size_t>(i)];
        moved.insert(moved.end(), part.begin(), part.end());
      }
    }
    // In the receive buffer's order, so that what lies together travels together.
    std::ranges::sort(moved);
    const int peer = members[static_cast<std::size_t>(transfer.peer)];
    for (const BlockRange range : as_ranges(moved)) add(peer, range);
  };
  for (std::size_t s = 0; s < steps.steps(); ++s) {
    const Step step = steps.step(s);
    schedule.begin_step();
    for (std::size_t i = 0; i < step.sends.size(); ++i) {
      for_each_range(step.sends[i], [&](int to, BlockRange part) { schedule.send(to, part); });
    }
    for (std::size_t i = 0; i < step.receives.size(); ++i) {
      for_each_range(step.receives[i],
                     [&](int from, BlockRange part) { schedule.receive(from, part); });
    }
  }
}

}  // namespace gatherbench::algorithms
