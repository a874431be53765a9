// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/shared/inner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algorithms/binomial_tree.h"
#include "algorithms/node_groups.h"
#include "algorithms/schedule.h"

namespace gatherbench::algorithms {

bool is_legal_inner(const Parameter& parameter, const Algorithm& inner) {
  if (parameter.default_value == ParameterValue{&inner}) return true;
  // A schedule can end with the library's own broadcast, and with no other of its calls.
  if (inner.calls(LibraryCall::native)) return parameter.kind == &collectives::bcast;
  const bool can_be = inner.can_be_inner || (parameter.is_phase && inner.can_be_phase);
  return can_be && inner.kind == parameter.kind;
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

Phase::Phase(const Algorithm& algorithm, const Problem& whole, std::vector<int> members)
    : algorithm_(algorithm), members_(std::move(members)) {
  problem_.ranks = static_cast<int>(members_.size());
  problem_.parameters = default_values(algorithm);
  if (whole.network == nullptr) return;
  for (const int rank : members_) host_.push_back(whole.host[static_cast<std::size_t>(rank)]);
  problem_.network = whole.network;
  problem_.host = host_;
}

std::optional<std::string> Phase::why_not() const {
  std::optional<std::string> why;
  if (const int most = algorithm_.kind->most_ranks; problem_.ranks > most) {
    why = fmt::format("needs {} ranks or fewer; p = {}", most, problem_.ranks);
  } else {
    why = algorithms::why_not(algorithm_, problem_);
  }
  if (!why) return std::nullopt;
  return fmt::format("{} {}", algorithm_.name, *why);
}

Amount Phase::amount(std::optional<Formula> Algorithm::*formula) const {
  return algorithm_.*formula ? (algorithm_.*formula)->at(problem_) : 0;
}

Schedule Phase::at(int place) const { return ScheduleMaker(algorithm_, problem_).of_rank(place); }

std::vector<Schedule> Phase::all() const { return ScheduleMaker(algorithm_, problem_).of_all(); }

void add_gather(Schedule& schedule, const Phase& phase, const Schedule& gather) {
  append_steps(
      schedule, gather, [&](int place) { return phase.rank_of(place); },
      [](std::span<const BlockRange> ranges) {
        // Ranges that lie together follow each other in ascending order, and travel together.
        std::vector<BlockRange> ascending(ranges.begin(), ranges.end());
        std::ranges::sort(ascending, {}, &BlockRange::first);
        return ascending;
      });
}

void add_barriers(Schedule& schedule, const Schedule& of_member) {
  for (std::size_t s = 0; s < of_member.steps(); ++s) {
    if (of_member.step(s).barrier) schedule.begin_step(true);
  }
}

}  // namespace gatherbench::algorithms
