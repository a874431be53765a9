// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "algorithms/references.h"
#include "algorithms/schedule.h"

// What a collective is: the proof, the plans, the validation and the tables take it from here. The
// calls into the MPI library are in bench/native/calls.h.
namespace gatherbench::collectives {

/// Blocks, ascending. A buffer holds them one after the other in this order.
using Blocks = std::vector<algorithms::BlockRange>;

/// Of a rank among so many.
using BlocksOfRank = Blocks(int rank, int ranks);

/// By what the bandwidth of an algorithm, all bytes of a rank's result over its time, is multiplied
/// to tell how busy the links were, whatever the number of ranks.
struct BandwidthFactor {
  std::string_view text;
  double (*at)(int ranks);
};

struct Collective {
  std::string_view name;        ///< in results and names of the library's variables
  std::string_view executable;  ///< in messages
  std::string_view title;       ///< in OSU's title line and MPI's name: "Allgather"
  bool unequal_blocks = false;  ///< its call has a count for each block
  int (*blocks)(int ranks);     ///< how many there are
  /// What a rank holds before: its send buffer.
  BlocksOfRank* initial;
  /// What it has to hold after: its receive buffer, in which, in place, `initial` lies already.
  BlocksOfRank* goal;
  BandwidthFactor bandwidth_factor;
};

extern const Collective allgather, allgatherv;

std::span<const Collective* const> collective_table();

/// A range over all of them, in the order in which they are listed.
inline algorithms::References<Collective> all_collectives() {
  return algorithms::References<Collective>(collective_table());
}

}  // namespace gatherbench::collectives
