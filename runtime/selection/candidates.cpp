// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/selection/candidates.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <numeric>
#include <utility>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/message_time.h"
#include "runtime/mpi/window/node_window.h"
#include "runtime/policies/choices.h"
#include "runtime/policies/prior.h"

namespace gatherbench::selection {
namespace {

/// Returns the problem with these blocks, on any rank.
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
  if (total > most_scratch_bytes) {
    std::erase_if(choices, [](const algorithms::Choice& choice) { return uses_scratch(choice); });
  }
  std::vector<policies::Candidate> expected = policies::candidates_of(choices);
  return {std::move(choices), std::move(expected)};
}

/// All by messages, and by a window those that are seldom bad.
std::vector<algorithms::Choice> choices_to_model(const algorithms::Problem& problem, bool windows) {
  std::vector<algorithms::Choice> found = policies::all_choices(problem);
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  for (algorithms::Choice& choice : policies::first_choices(problem, all, windows)) {
    if (choice.via != algorithms::Via::messages) found.push_back(std::move(choice));
  }
  return found;
}

/// Adds the model's times to the candidates; the first rank computes them, since it does so in
/// floating point. Returns false if the model expects nothing.
bool expect(Candidates& candidates, const cost::ContentionModel& model,
            const algorithms::Placement& placement, std::span<const std::int64_t> block_bytes,
            MPI_Comm comm) {
  constexpr std::int64_t nothing = -1;
  std::vector<std::int64_t> times_ns(candidates.choices.size(), nothing);
  if (mpi::rank_of(comm) == 0) {
    try {
      policies::ModelPrior prior(candidates.choices, placement,
                                 static_cast<int>(block_bytes.size()), model);
      const std::vector<policies::Candidate> found = prior.candidates(block_bytes);
      for (std::size_t i = 0; i < found.size(); ++i) {
        times_ns[i] = found[i].prior_ns.value_or(nothing);
      }
    } catch (const std::exception&) {  // no memory: the others are waiting
      times_ns.assign(times_ns.size(), nothing);
    }
  }
  mpi::require(MPI_Bcast(times_ns.data(), static_cast<int>(times_ns.size()), MPI_INT64_T, 0, comm),
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
  return algorithms::parameter_out_of_range(choice, ranks) == nullptr &&
         !algorithms::why_not(*choice.algorithm, problem).has_value();
}

Candidates find_candidates(const Search& search, const algorithms::Placement& placement,
                           std::span<const std::int64_t> block_bytes, MPI_Comm comm) {
  const algorithms::Problem problem = problem_of({}, placement, block_bytes);
  const bool windows = search.windows && mpi::NodeWindow::why_none().empty();
  if (search.bounded && search.model) {
    Candidates candidates = without_large_buffers(choices_to_model(problem, windows), block_bytes);
    if (expect(candidates, *search.model, placement, block_bytes, comm)) return candidates;
  }
  return without_large_buffers(search.bounded
                                   ? policies::first_choices(problem, search.most, windows)
                                   : policies::all_choices(problem, windows),
                               block_bytes);
}

std::optional<cost::ContentionModel> measure_model(MPI_Comm comm) {
  constexpr std::int64_t large = std::int64_t{1} << 18;
  const double alpha_us = mpi::measure_message_us(1, comm);
  const double large_us = mpi::measure_message_us(large, comm);
  if (alpha_us <= 0 || large_us <= alpha_us) return std::nullopt;
  return cost::ContentionModel{alpha_us / 1e6,
                               static_cast<double>(large) / ((large_us - alpha_us) / 1e6)};
}

}  // namespace gatherbench::selection
