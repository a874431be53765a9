// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "algorithms/choice.h"
#include "algorithms/schedule.h"
#include "collectives/collective.h"

// The proof: all ranks' schedules run symbolically, with no MPI and no bytes.
namespace gatherbench::analysis {

struct ProofResult {
  std::string fault;          ///< empty: proven. Else the first fault, with rank, step and block.
  std::int64_t steps = 0;     ///< of the rank that has most
  std::int64_t messages = 0;  ///< of all ranks, one for each run of blocks that lie together
  std::int64_t bytes = 0;     ///< that all ranks send
  std::int64_t barriers = 0;
};

/// What the schedules alone do not say.
struct Assumptions {
  std::span<const std::int64_t> block_bytes = {};  ///< of every block; empty: one byte each
  bool moves_twice = false;                        ///< a rank may receive blocks that it has
  const collectives::Collective* collective = &collectives::allgather;
};

/// Proves that these schedules, one a rank, are the collective:
///  - every rank begins with what the collective gives it and ends with all that it has to hold;
///  - it receives no block that is on its way, nor, unless that is assumed, one that it has; none
///    that it sends in the same step;
///  - every rank sends only what it held when the step began;
///  - every send meets a receive of the same blocks in the same order, and none is left over;
///  - it never deadlocks, even if every send waits for its receive (no buffering), and whatever the
///    order in which the ranks proceed; every barrier is met by all;
///  - peers and blocks exist, no rank is its own peer, a peer stands once a step and direction;
///  - a broadcast at the end finds every block at rank 0.
ProofResult prove(std::span<const algorithms::Schedule> schedules,
                  const Assumptions& assumptions = {});

/// prove(), and that steps, messages, bytes and barriers are what the algorithm's row in the
/// registry states (where it does; for equal blocks), and that no link of problem.switches carries
/// two messages in a step if the row says so. The algorithm must have a schedule and be able to
/// run.
ProofResult prove(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem);

}  // namespace gatherbench::analysis
