// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/collectives/collective.h"
#include "algorithms/cost/models.h"
#include "algorithms/placement.h"
#include "runtime/mpi/plans/layout.h"
#include "runtime/policies/policy.h"

namespace gatherbench::selection {

/// The algorithms that a policy chooses from, `native` first, and their expected times. The same on
/// all ranks.
struct Candidates {
  std::vector<algorithms::Choice> choices;
  std::vector<policies::Candidate> expected;
};

/// A result is large from here on: then no candidate needs a buffer as large as that.
constexpr std::int64_t most_scratch_bytes = std::int64_t{16} << 20;
/// The number of algorithms that are tried beside `native` where nothing is known of the machine.
constexpr std::size_t first_ones = 4;

/// The conditions by which candidates are found.
struct Search {
  bool bounded = true;                              ///< the policy bounds what trying costs
  std::size_t most = first_ones;                    ///< at most so many, if it does
  std::optional<cost::ContentionModel> model = {};  ///< none: the machine is not known
  bool windows = true;                              ///< ranks of a node may share memory
};

/// The calls that algorithms are found for. What it refers to outlives it.
class Task {
 public:
  /// `layout` is of all blocks of the collective, among so many ranks.
  Task(const collectives::Collective& collective, const algorithms::Placement& placement, int ranks,
       const mpi::Layout& layout);

  [[nodiscard]] const collectives::Collective& collective() const { return collective_; }
  [[nodiscard]] const algorithms::Placement& placement() const { return placement_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  /// Returns the bytes of each block; one number if all have as many.
  [[nodiscard]] std::span<const std::int64_t> block_bytes() const { return block_bytes_; }
  /// Returns the bytes that rank 0 has in the end.
  [[nodiscard]] std::int64_t result_bytes() const { return result_bytes_; }
  /// Returns the problem with these blocks, on any rank.
  [[nodiscard]] algorithms::Problem place(algorithms::Problem problem) const;

 private:
  const collectives::Collective& collective_;
  const algorithms::Placement& placement_;
  int ranks_;
  std::vector<std::int64_t> block_bytes_;
  std::int64_t result_bytes_;
};

/// Returns the algorithms that can do these calls, without those that need a buffer as large as the
/// result where that is large. If the policy bounds what trying costs, they have the times that the
/// model expects, which rank 0 asks and tells the others; without a model they are the few that are
/// seldom bad. The model expects nothing of copies by a window, so only the few of these are
/// there. Collective over `comm` if the policy is bounded and there is a
/// model. Throws mpi::MpiError.
Candidates find_candidates(const Search& search, const Task& task, MPI_Comm comm);

/// Returns true if the algorithm can do these calls.
[[nodiscard]] bool can_run(const algorithms::Choice& choice, const Task& task);

/// Measures the model that find_candidates takes, with messages of two sizes. None if the ranks
/// have no such messages, as one rank alone. Collective. Throws mpi::MpiError.
std::optional<cost::ContentionModel> measure_model(MPI_Comm comm);

}  // namespace gatherbench::selection
