// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/registry.h"
#include "algorithms/schedule.h"

// The proof: all ranks' schedules run symbolically, with no MPI and no bytes.
namespace gatherbench {

struct CheckResult {
  std::string fault;          ///< empty: proven. Else the first fault, with rank, step and block.
  std::int64_t steps = 0;     ///< of the rank that has most
  std::int64_t messages = 0;  ///< of all ranks, one for each run of blocks that lie together
};

/// The schedules of all ranks of one algorithm, in rank order.
std::vector<Schedule> make_schedules(const Algorithm& algorithm, int ranks);

/// Proves that these schedules, one a rank, are an all-gather:
///  - every rank ends with every block, and receives none that it has or that is on its way;
///  - every rank sends only what it held when the step began;
///  - every send meets a receive of the same blocks in the same order, and none is left over;
///  - it never deadlocks, even if every send waits for its receive (no buffering), and whatever the
///    order in which the ranks proceed;
///  - peers and blocks exist, no rank is its own peer, a peer stands once a step and direction.
CheckResult check(std::span<const Schedule> schedules);

/// check(), and that steps and messages are what the algorithm's row in the registry states.
/// The algorithm must have a schedule and be able to run with this many ranks.
CheckResult check(const Algorithm& algorithm, int ranks);

}  // namespace gatherbench
