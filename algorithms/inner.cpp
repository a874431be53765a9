// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/inner.h"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/binomial_tree.h"
#include "algorithms/node_groups.h"

namespace gatherbench::algorithms {

std::string reason_inner_unusable(const Problem& problem) {
  const int nodes = node_groups(problem).count();
  const std::string reason = reason_unusable(problem.inner(), inner_problem(problem, nodes));
  return reason.empty() ? reason
                        : fmt::format("among the leaders of {} nodes {} {}", nodes,
                                      problem.inner().name, reason);
}

Problem inner_problem(const Problem& problem, int nodes) {
  return {.ranks = nodes, .parameters = default_values(problem.inner())};
}

void add_inner(Schedule& schedule, const Problem& problem, int own, const std::vector<int>& members,
               const std::vector<std::vector<int>>& blocks) {
  Problem among = inner_problem(problem, static_cast<int>(members.size()));
  among.rank = own;
  const Schedule steps = make_schedule(problem.inner(), among);
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
