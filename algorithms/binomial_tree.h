// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/schedule.h"

// Gather to, and scatter and broadcast from, the first rank of a group, in a binomial tree.
namespace gatherbench::algorithms {

/// Ascending numbers of blocks as ranges, neighbours together.
std::vector<BlockRange> as_ranges(std::span<const int> blocks);

/// Adds what the rank at `place` of `members` (ascending) does: the blocks of all members come to
/// members[0], in ceil(log2 members) steps there.
void add_binomial_gather(Schedule& schedule, std::span<const int> members, int place);

/// The way back: the blocks of all members, which members[0] has, come to their members, and on the
/// way to those that pass them on.
void add_binomial_scatter(Schedule& schedule, std::span<const int> members, int place);

/// All `blocks` go from members[0] to the other members, in ceil(log2 members) steps there.
void add_binomial_broadcast(Schedule& schedule, std::span<const int> members, int place,
                            BlockRange blocks);

/// Blocks that a binomial gather, or scatter, of n members' blocks sends, all members together.
std::int64_t binomial_gather_blocks(std::int64_t members);

}  // namespace gatherbench::algorithms
