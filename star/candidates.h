// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/choice.h"
#include "algorithms/placement.h"
#include "star/shadow.h"
#include "star/world.h"
#include "tuning/policy.h"

namespace gatherbench::star {

/// What a policy chooses from, and what it may expect, `native` first. The same on all ranks.
struct Candidates {
  std::vector<algorithms::Choice> choices;
  std::vector<tuning::Candidate> expected;
};

/// The algorithms that can run with these blocks, without those that need a buffer as large as the
/// result where that is large. Of agstar, which has to bound what its first calls cost: if the
/// switches are known, with the times that a model expects, which the first rank asks and tells the
/// others; else AGSTAR_FIRST of those that are seldom bad. Collective over the program's
/// communicator if the switches are known. Throws mpi::MpiError.
Candidates find_candidates(const World& world, const Shadow& shadow,
                           std::span<const std::int64_t> block_bytes);

/// Whether the algorithm can run with these blocks.
[[nodiscard]] bool can_run(const algorithms::Choice& choice, const algorithms::Placement& placement,
                           std::span<const std::int64_t> block_bytes);

}  // namespace gatherbench::star
