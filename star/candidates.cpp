// SPDX-License-Identifier: BSD-3-Clause
#include "star/candidates.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "algorithms/registry.h"
#include "collectives/collective.h"

namespace gatherbench::star {
namespace {

constexpr std::int64_t large_bytes = std::int64_t{16} << 20;

/// In the order in which they are tried; the two that need nodes where these have several ranks.
constexpr std::array<std::string_view, 6> tried_first{
    "ring", "bruck_in_place", "recursive_doubling", "leader", "lane", "sparbit"};

bool is_of_ours(const algorithms::Algorithm& algorithm) {
  return algorithm.library_call == algorithms::LibraryCall::none && !algorithm.uses_arrivals;
}

/// Whether there are several nodes, and one has several ranks.
bool nodes_matter(const algorithms::Placement& placement) {
  std::vector<int> nodes = placement.node;
  std::ranges::sort(nodes);
  const auto repeated = std::ranges::unique(nodes);
  return !repeated.empty() && nodes.size() - repeated.size() > 1;
}

std::vector<const algorithms::Algorithm*> in_order(const Settings& settings,
                                                   const algorithms::Placement& placement) {
  std::vector<const algorithms::Algorithm*> all =
      algorithms::algorithms_of(&collectives::allgather);
  if (!settings.decides_by_times()) return all;
  std::vector<const algorithms::Algorithm*> first;
  for (const std::string_view name : tried_first) {
    const algorithms::Algorithm* const found = algorithms::find_algorithm(name);
    if (found->uses_nodes && !nodes_matter(placement)) continue;
    first.push_back(found);
  }
  // With a switch tree, that for which it is given.
  if (placement.switches != nullptr) {
    first.insert(first.begin(), algorithms::find_algorithm("topology_ring"));
  }
  return first;
}

}  // namespace

bool can_run(const algorithms::Choice& choice, const algorithms::Placement& placement,
             std::span<const std::int64_t> block_bytes) {
  const auto ranks = static_cast<int>(block_bytes.size());
  algorithms::Problem problem = placement.place(algorithms::problem_for(choice, ranks));
  problem.block_bytes = block_bytes;
  return algorithms::parameter_in_range(choice, ranks) &&
         algorithms::reason_unusable(*choice.algorithm, problem).empty();
}

std::vector<algorithms::Choice> find_candidates(const Settings& settings,
                                                const algorithms::Placement& placement,
                                                std::span<const std::int64_t> block_bytes) {
  const std::int64_t total =
      std::accumulate(block_bytes.begin(), block_bytes.end(), std::int64_t{});
  std::vector<algorithms::Choice> candidates{
      algorithms::choice_of(*algorithms::find_algorithm("native"))};
  for (const algorithms::Algorithm* const algorithm : in_order(settings, placement)) {
    const bool enough = settings.decides_by_times() &&
                        std::ssize(candidates) > static_cast<std::ptrdiff_t>(settings.first);
    if (enough || !is_of_ours(*algorithm)) continue;
    if (algorithm->uses_scratch && total > large_bytes) continue;
    const algorithms::Choice choice = algorithms::choice_of(*algorithm);
    if (can_run(choice, placement, block_bytes)) candidates.push_back(choice);
  }
  return candidates;
}

}  // namespace gatherbench::star
