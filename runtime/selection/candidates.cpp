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

Candidates without_large_buffers(std::vector<algorithms::Choice> choices, const Task& task) {
  if (task.result_bytes() > most_scratch_bytes) {
    std::erase_if(choices, [](const algorithms::Choice& choice) {
      return uses_scratch(choice) || choice.algorithm->combines_at_end;
    });
  }
  std::vector<policies::Candidate> expected =
      policies::candidates_of(choices, std::ranges::max(task.block_bytes()), task.collective());
  return {std::move(choices), std::move(expected)};
}

/// Returns all choices by messages, and with `windows` those by a window that are seldom bad.
std::vector<algorithms::Choice> choices_to_model(const Task& task, bool windows) {
  const algorithms::Problem problem = task.place({});
  std::vector<algorithms::Choice> found = policies::all_choices(problem, false, task.collective());
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  for (algorithms::Choice& choice :
       policies::first_choices(problem, all, windows, task.collective())) {
    if (choice.via != algorithms::Via::messages) found.push_back(std::move(choice));
  }
  return found;
}

/// Adds the model's times to the candidates; the first rank computes them, since it does so in
/// floating point. Returns false if the model expects nothing.
bool expect(Candidates& candidates, const cost::ContentionModel& model, const Task& task,
            MPI_Comm comm) {
  constexpr std::int64_t nothing = -1;
  std::vector<std::int64_t> times_ns(candidates.choices.size(), nothing);
  if (mpi::rank_of(comm) == 0) {
    try {
      policies::ModelPrior prior(candidates.choices, task.placement(), task.ranks(), model);
      const std::vector<policies::Candidate> found =
          prior.candidates(task.block_bytes(), task.collective());
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

Task::Task(const collectives::Collective& collective, const algorithms::Placement& placement,
           int ranks, const mpi::Layout& layout)
    : collective_(collective),
      placement_(placement),
      ranks_(ranks),
      block_bytes_(layout.is_equal() ? std::vector{layout.bytes_each()} : layout.block_bytes()),
      result_bytes_(layout.bytes(collective.goal(0, ranks))) {}

algorithms::Problem Task::place(algorithms::Problem problem) const {
  problem.ranks = ranks_;
  if (block_bytes_.size() == 1) {
    problem.equal_bytes = block_bytes_.front();
  } else {
    problem.block_bytes = block_bytes_;
  }
  return placement_.place(problem);
}

bool can_run(const algorithms::Choice& choice, const Task& task) {
  return algorithms::parameter_out_of_range(choice, task.ranks()) == nullptr &&
         !algorithms::why_not(*choice.algorithm,
                              task.place(algorithms::problem_for(choice, task.ranks())))
              .has_value();
}

Candidates find_candidates(const Search& search, const Task& task, MPI_Comm comm) {
  const bool windows = search.windows && mpi::NodeWindow::why_none().empty();
  if (search.bounded && search.model) {
    Candidates candidates = without_large_buffers(choices_to_model(task, windows), task);
    if (expect(candidates, *search.model, task, comm)) return candidates;
  }
  const algorithms::Problem problem = task.place({});
  return without_large_buffers(
      search.bounded ? policies::first_choices(problem, search.most, windows, task.collective())
                     : policies::all_choices(problem, windows, task.collective()),
      task);
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
