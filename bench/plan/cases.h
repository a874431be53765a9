// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "bench/host/nodes.h"
#include "bench/options/options.h"
#include "bench/options/values/displacements.h"
#include "bench/plan/groups.h"
#include "distributions/arrivals/arrival_pattern.h"
#include "distributions/block_sizes.h"
#include "formats/row.h"
#include "runtime/mpi/plans/layout.h"

namespace gatherbench::bench {

/// One combination that every algorithm of the launch runs.
struct Case {
  formats::CaseKey key;
  const collectives::Collective* collective;
  const distributions::Distribution* distribution;
  const arrivals::ArrivalPattern* arrival;
  mpi::Element element = {};  ///< of the buffers
  Displacements displacements = {};
};

/// A numbering of the ranks for a part of the launch.
struct MappedOrder {
  std::string label;       ///< the mapping that was asked for
  std::vector<int> order;  ///< the old rank of each new one
};

/// Returns the orders that the options ask for where ranks lie on these nodes, each different one
/// once. Adds to `notes` what is left out because it is the same as another.
std::vector<MappedOrder> find_orders(const Options& options, std::span<const int> node_of_rank,
                                     std::vector<std::string>& notes);

/// Returns all cases of one order, distributions outermost, then arrival patterns, sizes innermost.
/// Their keys are those of the largest group. Throws InputError for a size that cannot be had.
std::vector<Case> make_cases(const Options& options, const Group& largest, const MappedOrder& order,
                             std::span<const distributions::Distribution> distributions,
                             std::span<const arrivals::ArrivalPattern> arrivals);

/// Shuffles the sizes, and no more: cases of one distribution and arrival pattern stay together and
/// where they are, so that a pattern still comes behind the balanced arrivals it is compared with.
/// The order is the same on every rank.
void shuffle_sizes(std::vector<Case>& cases, std::uint64_t seed);

/// Returns the case as a group runs it: its key has that group's ranks, nodes and bytes.
Case case_of(const Group& group, const Case& the_case);

/// The bytes of all blocks of a case, once for each rank, at most. That is more than any machine
/// has, and so much less than an integer counts that what algorithms need beside the blocks, which
/// is some times as much for each, can be counted, too.
inline constexpr std::int64_t most_bytes_of_ranks = std::int64_t{1} << 53;

/// Returns the layout of all blocks of the collective. Throws InputError if they are not countable.
mpi::Layout make_layout(const Case& the_case);

/// Throws InputError if so many bytes of blocks, once for each rank, are more than
/// most_bytes_of_ranks. `blocks`: the name of their sizes, for the message.
void require_countable(double bytes, int ranks, std::string_view blocks);

/// Returns ranks that stand for all: whatever a rank holds before or after a call, one of these
/// holds as much. With equal blocks all but rank 0, which may be the root, hold the same, so two
/// ranks are enough.
std::vector<int> unlike_ranks(int ranks, const mpi::Layout& layout);

}  // namespace gatherbench::bench
