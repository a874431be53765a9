// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/shared/inner.h"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/binomial_tree.h"
#include "algorithms/node_groups.h"
#include "algorithms/schedule.h"

namespace gatherbench::algorithms {

bool is_legal_inner(const Parameter& parameter, const Algorithm& inner) {
  return parameter.default_value == ParameterValue{&inner} ||
         (inner.can_be_inner && inner.kind == parameter.kind);
}

std::optional<std::string> why_not_inner(const Problem& problem) {
  const int nodes = node_groups(problem).count();
  const auto why = why_not(problem.inner(), inner_problem(problem, nodes));
  if (!why) return std::nullopt;
  return fmt::format("among the leaders of {} nodes {} {}", nodes, problem.inner().name, *why);
}

Problem inner_problem(const Problem& problem, int nodes) {
  return {.ranks = nodes, .parameters = default_values(problem.inner())};
}

int inner_period(const Problem& problem) {
  const Algorithm& inner = problem.inner();
  const bool shifts = inner.symmetry == Symmetry::shift && inner.period == nullptr;
  return shifts ? node_groups(problem).period() : problem.ranks;
}

void add_inner(Schedule& schedule, const Problem& problem, int own, const std::vector<int>& members,
               std::span<const std::vector<int>> blocks) {
  Problem among = inner_problem(problem, static_cast<int>(members.size()));
  among.rank = own;
  const Schedule steps = make_schedule(problem.inner(), among);
  append_steps(
      schedule, steps, [&](int place) { return members[static_cast<std::size_t>(place)]; },
      [&](std::span<const BlockRange> ranges) {
        std::vector<int> moved;
        for (const BlockRange& range : ranges) {
          for (int i = range.first; i < range.first + range.count; ++i) {
            const auto& part = blocks[static_cast<std::size_t>(i)];
            moved.insert(moved.end(), part.begin(), part.end());
          }
        }
        // Blocks stand in the receive buffer's order, so that what lies together travels together.
        std::ranges::sort(moved);
        return as_ranges(moved);
      });
}

}  // namespace gatherbench::algorithms
