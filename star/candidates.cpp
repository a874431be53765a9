// SPDX-License-Identifier: BSD-3-Clause
#include "star/candidates.h"

#include <exception>
#include <numeric>
#include <utility>

#include "mpi/handles.h"
#include "tuning/candidates.h"
#include "tuning/prior.h"

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

Candidates without_large_buffers(std::vector<algorithms::Choice> choices,
                                 std::span<const std::int64_t> block_bytes) {
  const std::int64_t total =
      std::accumulate(block_bytes.begin(), block_bytes.end(), std::int64_t{});
  if (total > large_bytes) {
    std::erase_if(choices,
                  [](const algorithms::Choice& choice) { return choice.algorithm->uses_scratch; });
  }
  std::vector<tuning::Candidate> expected = tuning::candidates_of(choices);
  return {std::move(choices), std::move(expected)};
}

/// What the model expects of the candidates, from the first rank, since it computes in floating
/// point. False if it expects nothing.
bool expect(Candidates& candidates, const formats::ContentionModel& model, const Shadow& shadow,
            std::span<const std::int64_t> block_bytes) {
  constexpr std::int64_t nothing = -1;
  std::vector<std::int64_t> times_ns(candidates.choices.size(), nothing);
  if (shadow.rank() == 0) {
    try {
      tuning::ModelPrior prior(candidates.choices, shadow.placement(), shadow.ranks(), model);
      const std::vector<tuning::Candidate> found = prior.candidates(block_bytes);
      for (std::size_t i = 0; i < found.size(); ++i) {
        times_ns[i] = found[i].prior_ns.value_or(nothing);
      }
    } catch (const std::exception&) {  // no memory: the others are waiting
      times_ns.assign(times_ns.size(), nothing);
    }
  }
  mpi::require(
      PMPI_Bcast(times_ns.data(), static_cast<int>(times_ns.size()), MPI_INT64_T, 0, shadow.of()),
      "MPI_Bcast");
  bool any = false;
  for (std::size_t i = 0; i < times_ns.size(); ++i) {
    if (times_ns[i] == nothing) continue;
    candidates.expected[i].prior_ns = times_ns[i];
    any = true;
  }
  return any;
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

Candidates find_candidates(const World& world, const Shadow& shadow,
                           std::span<const std::int64_t> block_bytes) {
  const Settings& settings = world.settings;
  const algorithms::Problem problem = problem_of({}, shadow.placement(), block_bytes);
  if (settings.tries_first_ones() && world.model) {
    Candidates candidates = without_large_buffers(tuning::all_choices(problem), block_bytes);
    if (expect(candidates, *world.model, shadow, block_bytes)) return candidates;
  }
  return without_large_buffers(
      settings.tries_first_ones()
          ? tuning::first_choices(problem, static_cast<std::size_t>(settings.first))
          : tuning::all_choices(problem),
      block_bytes);
}

}  // namespace gatherbench::star
