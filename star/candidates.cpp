// SPDX-License-Identifier: BSD-3-Clause
#include "star/candidates.h"

#include <numeric>

#include "tuning/candidates.h"

namespace gatherbench::star {
namespace {

constexpr std::int64_t large_bytes = std::int64_t{16} << 20;

/// Of these blocks, on any rank.
algorithms::Problem problem_of(algorithms::Problem problem, const algorithms::Placement& placement,
                               std::span<const std::int64_t> block_bytes) {
  problem.ranks = static_cast<int>(block_bytes.size());
  problem.block_bytes = block_bytes;
  return placement.place(problem);
}

}  // namespace

bool can_run(const algorithms::Choice& choice, const algorithms::Placement& placement,
             std::span<const std::int64_t> block_bytes) {
  const auto ranks = static_cast<int>(block_bytes.size());
  const algorithms::Problem problem =
      problem_of(algorithms::problem_for(choice, ranks), placement, block_bytes);
  return algorithms::parameter_in_range(choice, ranks) &&
         algorithms::reason_unusable(*choice.algorithm, problem).empty();
}

std::vector<algorithms::Choice> find_candidates(const Settings& settings,
                                                const algorithms::Placement& placement,
                                                std::span<const std::int64_t> block_bytes) {
  const algorithms::Problem problem = problem_of({}, placement, block_bytes);
  std::vector<algorithms::Choice> candidates =
      settings.tries_first_ones()
          ? tuning::first_choices(problem, static_cast<std::size_t>(settings.first))
          : tuning::all_choices(problem);
  const std::int64_t total =
      std::accumulate(block_bytes.begin(), block_bytes.end(), std::int64_t{});
  if (total > large_bytes) {
    std::erase_if(candidates,
                  [](const algorithms::Choice& choice) { return choice.algorithm->uses_scratch; });
  }
  return candidates;
}

}  // namespace gatherbench::star
