// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/policies/choices.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "algorithms/choice/parse_algorithms.h"
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

bool has_whole_schedule(const Choice& choice, Problem problem) {
  if (choice.algorithm->schedules() == nullptr) return false;
  problem.parameters = choice.parameters;
  return !algorithms::make_schedule(*choice.algorithm, problem).broadcast_at_end;
}

bool is_same(const Choice& one, const Choice& other) {
  return one.algorithm == other.algorithm && one.parameters == other.parameters &&
         one.via == other.via;
}

using Repositories = std::map<const collectives::Collective*, std::vector<Choice>>;

Repositories parse_repositories() {
  Repositories found;
  for (const collectives::Collective& collective : collectives::all_collectives()) {
    std::vector<Choice>& choices = found[&collective];
    for (const StarAlgorithm& each : star_repository(collective)) {
      choices.push_back(algorithms::parse_algorithms("", each.name, collective).front());
    }
  }
  return found;
}

/// Returns STAR-MPI's repository as choices, in its order. A program makes communicators again and
/// again, which ask for it.
const std::vector<Choice>& star_choices(const collectives::Collective& collective) {
  static const Repositories repositories = parse_repositories();
  return repositories.at(&collective);
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

const Choice& native() {
  static const Choice choice = algorithms::choice_of(*algorithms::find_algorithm("native"));
  return choice;
}

/// Returns the algorithms that are seldom bad, also those that cannot run.
std::vector<Choice> seldom_bad(const Problem& problem, bool windows,
                               const collectives::Collective& collective) {
  struct Names {
    const collectives::Collective* kind;
    std::string_view by_window;  ///< the one of these that gains most within a node
    std::array<std::string_view, 7> names;
  };
  constexpr std::array table{
      Names{&collectives::allgather,
            "linear",
            {"topology_ring", "ring", "bruck_in_place", "recursive_doubling", "leader", "lane",
             "sparbit"}},
      Names{&collectives::alltoall, "linear", {"linear", "bruck", "pair", "shift", "spread"}},
      Names{&collectives::allreduce,
            "recursive_doubling",
            {"recursive_doubling", "rabenseifner", "ring", "allgather_reduce"}},
      Names{&collectives::bcast, "flat", {"binomial", "scatter_allgather", "binary", "flat"}},
      Names{&collectives::reduce, "binomial", {"binomial", "butterfly", "parallel_ring"}},
  };
  const auto* const row = std::ranges::find(table, collective.kind, &Names::kind);
  std::vector<Choice> found;
  if (row == table.end()) return found;
  const auto [are_several, are_shared] = nodes_of(problem);
  const bool matter = are_several && are_shared;
  const auto add = [&](std::string_view name, Via via) {
    const Algorithm* const algorithm = algorithms::find_algorithm(name, collective);
    if (!algorithm->uses_nodes || matter) found.push_back(algorithms::choice_of(*algorithm, via));
  };
  if (windows && are_shared && !are_several) add(row->by_window, Via::window);
  for (const std::string_view name : row->names) {
    if (name.empty()) break;
    const bool uses_nodes = algorithms::find_algorithm(name, collective)->uses_nodes;
    add(name, uses_nodes && windows ? Via::window : Via::messages);
  }
  return found;
}

}  // namespace

std::vector<Choice> star_variants(const collectives::Collective& collective) {
  std::vector<Choice> found = star_choices(collective);
  std::erase_if(found, [](const Choice& each) {
    return is_same(each, algorithms::choice_of(*each.algorithm));
  });
  return found;
}

std::vector<Choice> all_choices(const Problem& problem, bool windows,
                                const collectives::Collective& collective) {
  const bool by_windows = windows && nodes_of(problem).are_shared;
  Problem of_one = problem;
  of_one.rank = 0;
  std::vector<Choice> ours;
  for (const Algorithm* const algorithm : algorithms::algorithms_of(&collective)) {
    if (algorithm->schedules() == nullptr || algorithm->is<algorithms::ByArrivals>()) continue;
    ours.push_back(algorithms::choice_of(*algorithm));
  }
  std::ranges::move(star_variants(collective), std::back_inserter(ours));
  std::vector<Choice> found{native()};
  for (Choice& choice : ours) {
    if (!can_run(choice, of_one) || !has_whole_schedule(choice, of_one)) continue;
    found.push_back(choice);
    if (by_windows) found.push_back(algorithms::by_window(std::move(choice)));
  }
  return found;
}

std::vector<Choice> first_choices(const Problem& problem, std::size_t most, bool windows,
                                  const collectives::Collective& collective) {
  std::vector<Choice> found{native()};
  for (const Choice& choice : seldom_bad(problem, windows, collective)) {
    if (found.size() <= most && can_run(choice, problem)) found.push_back(choice);
  }
  return found;
}

void require_policy(std::string_view option, std::string_view policy,
                    const collectives::Collective& collective) {
  std::vector<Candidate> candidates;
  const auto add = [&](std::string name) {
    candidates.push_back({.name = std::move(name), .star_place = 0});
  };
  for (const std::string_view each : algorithms::algorithm_names(&collective)) {
    add(std::string(each));
    const Algorithm* const algorithm = algorithms::find_algorithm(each, collective);
    if (algorithm->schedules() == nullptr) continue;
    add(algorithms::choice_of(*algorithm, Via::window).label());
  }
  for (Choice& each : star_variants(collective)) {
    add(each.label());
    add(algorithms::by_window(std::move(each)).label());
  }
  make_policy(policy, std::move(candidates), default_budget_permille, option);
}

std::vector<Candidate> candidates_of(std::span<const Choice> choices, std::int64_t bytes,
                                     const collectives::Collective& collective) {
  const std::span<const StarAlgorithm> rows = star_repository(collective);
  const std::vector<Choice>& published = star_choices(collective);
  const auto has = [&](const Choice& one) {
    return std::ranges::any_of(choices, [&](const Choice& each) { return is_same(each, one); });
  };
  std::size_t next_group = rows.empty() ? 1 : rows.back().group + 1;
  std::vector<Candidate> found;
  for (const Choice& choice : choices) {
    const auto same = [&](const Choice& one) { return is_same(one, choice); };
    const auto row =
        static_cast<std::size_t>(std::ranges::find_if(published, same) - published.begin());
    Candidate& candidate = found.emplace_back(choice.label());
    if (row == rows.size()) {
      candidate.group = next_group++;
      continue;
    }
    candidate.group = rows[row].group;
    const bool is_needed = !rows[row].stands_in || !has(published[row - 1]);
    if (is_needed && bytes <= rows[row].most_bytes) candidate.star_place = row;
  }
  return found;
}

}  // namespace gatherbench::policies
