// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>
#include <string_view>

#include "algorithms/collectives/blocks.h"
#include "algorithms/collectives/references.h"

// The definition of a collective, from which the proof, the plans, the validation and the tables
// take it. The calls into the MPI library are in bench/native/library_calls.h.
namespace gatherbench::collectives {

/// Returns the blocks that a rank has, of so many ranks.
using BlocksOfRank = Blocks(int rank, int ranks);

/// Returns the number of blocks that a whole vector is.
inline int one_block(int /*ranks*/) { return 1; }

/// The factor from an algorithm's bandwidth, which is the bytes of a rank's result over the time,
/// to its bus bandwidth, which tells how busy the links were, whatever the number of ranks.
struct BandwidthFactor {
  std::string_view text;
  double (*at)(int ranks);
};

struct Collective {
  std::string_view name;        ///< in results and names of the library's variables
  std::string_view executable;  ///< in messages
  std::string_view title;       ///< in OSU's title line and MPI's name: "Allgather"
  std::string_view word;        ///< in sentences: "all-gather"
  bool unequal_blocks = false;  ///< its call has a count for each block
  /// One rank, the root, begins or ends with all; `initial` and `goal` are for root 0.
  bool has_root = false;
  /// Each rank begins with a contribution to a block: the block is what an operator makes of the
  /// contributions of all ranks.
  bool combines = false;
  /// Says, for a reduction, whether a rank keeps its partial result of a block after sending it.
  bool keeps_contributions = false;
  bool one_buffer = false;  ///< its call has one buffer: it always works in place
  /// The collective whose algorithms also compute this one: itself, or the one with the same blocks
  /// before and after (of Allgatherv: Allgather).
  const Collective* kind;
  std::string_view default_algorithms;  ///< of its benchmark
  int (*blocks)(int ranks);             ///< how many there are
  /// The largest number of ranks with which an int counts the blocks.
  int most_ranks = std::numeric_limits<int>::max();
  /// The blocks that a rank holds before: its send buffer.
  BlocksOfRank* initial;
  /// The blocks that it has to hold after: its receive buffer.
  BlocksOfRank* goal;
  /// The blocks that the receive buffer is laid out for before a call in place: those of `goal` or
  /// of `initial`.
  BlocksOfRank* in_place;
  /// Blocks for one peer that do not lie together are one message, unless the user wants several.
  bool packs = false;
  BandwidthFactor bandwidth_factor;

  /// Returns whether its algorithms are those of the all-gather.
  [[nodiscard]] bool gathers() const;
};

// clang-format off
extern const Collective
#include "algorithms/collectives/all_collectives.inc"
;
// clang-format on

/// The blocks that one rank begins and ends with.
struct Part {
  Blocks initial;
  Blocks goal;
  Blocks in_place;  ///< how the receive buffer is laid out before, in place
  bool combines = false;
  bool in_order = false;  ///< it combines in the order of ranks: the operator does not commute

  /// Returns true if this rank passes MPI_IN_PLACE when that was asked for. A rank that ends with
  /// nothing does not: it has no receive buffer, and sends as it does otherwise.
  [[nodiscard]] bool in_place_if(bool asked) const { return asked && !goal.empty(); }
};

/// Returns how far a rank is behind the root, in cyclic order: 0 is the root.
inline int distance_from(int root, int rank, int ranks) { return (rank - root + ranks) % ranks; }

/// Returns the part of a rank. `root` is 0 if the collective has none. For another root the ranks
/// are counted from that root on: a rank has the part that the rank as far behind rank 0 has for
/// root 0.
inline Part part_of(const Collective& collective, int rank, int ranks, int root = 0) {
  const int distance = distance_from(root, rank, ranks);
  return {collective.initial(distance, ranks), collective.goal(distance, ranks),
          collective.in_place(distance, ranks), collective.combines};
}

std::span<const Collective* const> collective_table();

/// Returns a range over all collectives, in the order in which they are listed.
inline References<Collective> all_collectives() {
  return References<Collective>(collective_table());
}

}  // namespace gatherbench::collectives
