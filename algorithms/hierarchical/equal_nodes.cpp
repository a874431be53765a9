// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/hierarchical/equal_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "algorithms/binomial_tree.h"

namespace gatherbench::algorithms {

std::optional<std::string> why_not_on_nodes(const Problem& problem) {
  const NodeGroups nodes = node_groups(problem);
  if (nodes.min_ranks() == nodes.max_ranks()) return std::nullopt;
  return fmt::format("needs as many ranks on every node; they have {} to {}", nodes.min_ranks(),
                     nodes.max_ranks());
}

std::vector<BlockRange> blocks_of_nodes(const NodeGroups& nodes, std::span<const int> numbers) {
  std::vector<int> blocks;
  for (const int number : numbers) {
    const auto& ranks = nodes.ranks[static_cast<std::size_t>(number)];
    blocks.insert(blocks.end(), ranks.begin(), ranks.end());
  }
  std::ranges::sort(blocks);
  return as_ranges(blocks);
}

void add_node_exchange(Schedule& schedule, const NodeGroups& nodes,
                       std::span<const std::vector<BlockRange>> brought) {
  const auto& own = nodes.ranks[static_cast<std::size_t>(nodes.node)];
  const auto place = static_cast<std::size_t>(nodes.place);
  const auto has_some = [](const std::vector<BlockRange>& blocks) { return !blocks.empty(); };
  if (own.size() == 1 || std::ranges::none_of(brought, has_some)) return;
  schedule.begin_step();
  for (std::size_t i = 1; i < own.size(); ++i) {
    const std::size_t to = (place + i) % own.size();
    for (const BlockRange part : brought[place]) schedule.send(own[to], part);
  }
  for (std::size_t i = 1; i < own.size(); ++i) {
    const std::size_t from = (place + own.size() - i) % own.size();
    for (const BlockRange part : brought[from]) schedule.receive(own[from], part);
  }
}

void add_own_exchange(Schedule& schedule, const NodeGroups& nodes) {
  std::vector<std::vector<BlockRange>> blocks;
  for (const int rank : nodes.ranks[static_cast<std::size_t>(nodes.node)]) {
    blocks.push_back({{rank, 1}});
  }
  add_node_exchange(schedule, nodes, blocks);
}

}  // namespace gatherbench::algorithms
