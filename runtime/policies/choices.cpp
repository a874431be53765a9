// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/policies/choices.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "algorithms/registry.h"
#include "runtime/policies/star.h"

namespace gatherbench::policies {
namespace {

using algorithms::Algorithm;
using algorithms::Choice;
using algorithms::Problem;
using algorithms::Via;

bool can_run(const Choice& choice, Problem problem) {
  problem.parameters = choice.parameters;
  return algorithms::parameter_out_of_range(choice, problem.ranks) == nullptr &&
         !algorithms::why_not(*choice.algorithm, problem).has_value();
}

bool has_whole_schedule(const Algorithm& algorithm, Problem problem) {
  if (algorithm.schedules() == nullptr) return false;
  problem.parameters = algorithms::default_values(algorithm);
  return !algorithms::make_schedule(algorithm, problem).broadcast_at_end;
}

struct Nodes {
  bool are_several;
  bool are_shared;  ///< one at least has several ranks
};

Nodes nodes_of(const Problem& problem) {
  if (problem.node.empty()) return {false, problem.ranks > 1};
  std::vector<int> nodes(problem.node.begin(), problem.node.end());
  std::ranges::sort(nodes);
  const auto repeated = std::unique(nodes.begin(), nodes.end());
  return {repeated - nodes.begin() > 1, repeated != nodes.end()};
}

Choice named(std::string_view name, Via via) {
  return algorithms::choice_of(*algorithms::find_algorithm(name), via);
}

/// Returns the algorithms that are seldom bad, also those that cannot run.
std::vector<Choice> seldom_bad(const Problem& problem, bool windows) {
  constexpr std::array<std::string_view, 7> names{
      "topology_ring", "ring", "bruck_in_place", "recursive_doubling", "leader", "lane", "sparbit"};
  const auto [are_several, are_shared] = nodes_of(problem);
  const bool matter = are_several && are_shared;
  std::vector<Choice> found;
  if (windows && are_shared && !are_several) found.push_back(named("linear", Via::window));
  for (const std::string_view name : names) {
    const bool uses_nodes = algorithms::find_algorithm(name)->uses_nodes;
    if (uses_nodes && !matter) continue;
    found.push_back(named(name, uses_nodes && windows ? Via::window : Via::messages));
  }
  return found;
}

}  // namespace

std::vector<Choice> all_choices(const Problem& problem, bool windows) {
  const bool by_windows = windows && nodes_of(problem).are_shared;
  std::vector<Choice> found{named("native", Via::messages)};
  Problem of_one = problem;
  of_one.rank = 0;
  for (const Algorithm* const algorithm : algorithms::algorithms_of(&collectives::allgather)) {
    if (algorithm->is<algorithms::ByArrivals>()) continue;
    Choice choice = algorithms::choice_of(*algorithm);
    if (!can_run(choice, of_one) || !has_whole_schedule(*algorithm, of_one)) continue;
    found.push_back(std::move(choice));
    if (by_windows) found.push_back(algorithms::choice_of(*algorithm, Via::window));
  }
  return found;
}

std::vector<Choice> first_choices(const Problem& problem, std::size_t most, bool windows) {
  std::vector<Choice> found{named("native", Via::messages)};
  for (const Choice& choice : seldom_bad(problem, windows)) {
    if (found.size() <= most && can_run(choice, problem)) found.push_back(choice);
  }
  return found;
}

void require_policy(std::string_view option, std::string_view policy) {
  std::vector<Candidate> candidates;
  for (const std::string_view each : algorithms::algorithm_names()) {
    candidates.push_back({std::string(each), 0, {}});
    if (algorithms::find_algorithm(each)->schedules() == nullptr) continue;
    candidates.push_back({named(each, Via::window).label(), 0, {}});
  }
  make_policy(policy, std::move(candidates), default_budget_permille, option);
}

std::vector<Candidate> candidates_of(std::span<const Choice> choices) {
  std::vector<Candidate> found;
  const std::span<const StarAlgorithm> published = star_repository();
  std::size_t next_group = published.back().group + 1;
  for (const Choice& choice : choices) {
    const auto row = std::ranges::find(published, choice.algorithm->name, &StarAlgorithm::name);
    const bool is_published = row != published.end() && choice.via == Via::messages;
    const std::size_t group = is_published ? row->group : next_group++;
    found.push_back({choice.label(), group, {}});
  }
  return found;
}

}  // namespace gatherbench::policies
