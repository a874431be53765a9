// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/collectives/collective.h"

// The assumptions of a symbolic run beside the schedules, and its findings.
namespace gatherbench::proof {

struct ProofResult {
  std::string fault;       ///< empty: proven. Else the first fault, with rank, step and block.
  std::int64_t steps = 0;  ///< of the rank that has most
  /// Messages of all ranks, one for each run of blocks that lie together, or one for all runs if
  /// they are packed.
  std::int64_t messages = 0;
  std::int64_t bytes = 0;  ///< that all ranks send
  std::int64_t barriers = 0;
};

/// Facts that the schedules alone do not say.
struct Assumptions {
  std::span<const std::int64_t> block_bytes = {};  ///< of every block; empty: one byte each
  bool moves_twice = false;                        ///< a rank may receive blocks that it has
  const collectives::Collective* collective = &collectives::allgather;
  int root = 0;              ///< of a collective that has one
  bool keeps_order = false;  ///< contributions are combined in the order of ranks
};

/// The rounds in which a step begins, and in which each of its messages passes, in the order of the
/// step.
struct StepRounds {
  std::size_t begin = 0;
  std::vector<std::size_t> sends;
  std::vector<std::size_t> receives;
};

/// The rounds in which the steps of all ranks meet. A message passes as soon as the steps at both
/// its ends have begun, and a barrier is over when all ranks have come to it; a rank's next step
/// begins a round after the last message of the one before. A send meets the receive of the same
/// two ranks that has the same round: there is only one.
struct Rounds {
  std::string fault;  ///< empty, or why prove() fails; then nothing else counts
  std::vector<std::vector<StepRounds>> ranks;  ///< of each rank its steps
  std::size_t count = 0;
};

}  // namespace gatherbench::proof
