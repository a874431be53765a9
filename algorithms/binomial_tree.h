// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/schedule.h"

// Gather to, and scatter and broadcast from, the first rank of a group, in a binomial tree.
namespace gatherbench::algorithms {

/// Returns the blocks, given by ascending numbers, as ranges; neighbours share a range.
std::vector<BlockRange> as_ranges(std::span<const int> blocks);

/// Adds what the rank at `place` of `members` (ascending) does: the blocks of all members come to
/// members[0], which takes ceil(log2 members) steps.
void add_binomial_gather(Schedule& schedule, std::span<const int> members, int place);

/// Adds what that rank does on the way back: the blocks of all members, which members[0] has, come
/// to their members, and on the way to those that pass them on.
void add_binomial_scatter(Schedule& schedule, std::span<const int> members, int place);

/// Adds what that rank does when all `blocks` go from members[0] to the other members, for which
/// members[0] takes ceil(log2 members) steps.
void add_binomial_broadcast(Schedule& schedule, std::span<const int> members, int place,
                            BlockRange blocks);

/// Returns the number of blocks that a binomial gather, or scatter, of so many members sends, all
/// members together.
std::int64_t binomial_gather_blocks(std::int64_t members);

}  // namespace gatherbench::algorithms
