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

bool can_run(const Choice& choice, Problem problem) {
  problem.parameters = choice.parameters;
  return algorithms::parameter_out_of_range(choice, problem.ranks) == nullptr &&
         algorithms::reason_unusable(*choice.algorithm, problem).empty();
}

bool has_whole_schedule(const Algorithm& algorithm, Problem problem) {
  if (algorithm.schedule == nullptr) return false;
  problem.parameters = algorithms::default_values(algorithm);
  return !algorithms::make_schedule(algorithm, problem).broadcast_at_end;
}

/// Whether there are several nodes, and one has several ranks.
bool nodes_matter(const Problem& problem) {
  std::vector<int> nodes(problem.node.begin(), problem.node.end());
  std::ranges::sort(nodes);
  const auto repeated = std::unique(nodes.begin(), nodes.end());
  return repeated != nodes.end() && repeated - nodes.begin() > 1;
}

}  // namespace

std::vector<Choice> all_choices(const Problem& problem) {
  std::vector<Choice> found{algorithms::choice_of(*algorithms::find_algorithm("native"))};
  Problem of_one = problem;
  of_one.rank = 0;
  for (const Algorithm* const algorithm : algorithms::algorithms_of(&collectives::allgather)) {
    if (algorithm->uses_arrivals) continue;
    Choice choice = algorithms::choice_of(*algorithm);
    if (can_run(choice, of_one) && has_whole_schedule(*algorithm, of_one)) {
      found.push_back(std::move(choice));
    }
  }
  return found;
}

std::vector<Choice> first_choices(const Problem& problem, std::size_t most) {
  constexpr std::array<std::string_view, 7> names{
      "topology_ring", "ring", "bruck_in_place", "recursive_doubling", "leader", "lane", "sparbit"};
  std::vector<Choice> found{algorithms::choice_of(*algorithms::find_algorithm("native"))};
  for (const std::string_view name : names) {
    const Choice choice = algorithms::choice_of(*algorithms::find_algorithm(name));
    if (choice.algorithm->uses_nodes && !nodes_matter(problem)) continue;
    if (found.size() <= most && can_run(choice, problem)) found.push_back(choice);
  }
  return found;
}

void require_policy(std::string_view option, std::string_view policy) {
  std::vector<Candidate> candidates;
  for (const std::string_view each : algorithms::algorithm_names()) {
    candidates.push_back({std::string(each), 0, {}});
  }
  make_policy(policy, std::move(candidates), default_budget_permille, option);
}

std::vector<Candidate> candidates_of(std::span<const Choice> choices) {
  std::vector<Candidate> found;
  const std::span<const StarAlgorithm> published = star_repository();
  std::size_t next_group = published.back().group + 1;
  for (const Choice& choice : choices) {
    const auto row = std::ranges::find(published, choice.algorithm->name, &StarAlgorithm::name);
    const std::size_t group = row == published.end() ? next_group++ : row->group;
    found.push_back({choice.label(), group, {}});
  }
  return found;
}

}  // namespace gatherbench::policies
