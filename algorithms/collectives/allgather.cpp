// SPDX-License-Identifier: BSD-3-Clause
//
// All-gather: block b is what rank b has, and all ranks get all blocks. As MPI_Allgather, whose
// blocks have one size, and as MPI_Allgatherv, where each has its own.
#include "algorithms/collectives/collective.h"

namespace gatherbench::collectives {
namespace {

int block_a_rank(int ranks) { return ranks; }

Blocks own_block(int rank, int /*ranks*/) { return {{rank, 1}}; }

Blocks all_blocks(int /*rank*/, int ranks) { return {{0, ranks}}; }

// A rank's own block needs no link.
constexpr BandwidthFactor all_but_own{"(p-1)/p", [](int ranks) { return (ranks - 1.0) / ranks; }};

}  // namespace

constinit const Collective allgather{.name = "allgather",
                                     .executable = "allgather_bench",
                                     .title = "Allgather",
                                     .word = "all-gather",
                                     .unequal_blocks = false,
                                     .kind = &allgather,
                                     .default_algorithms = "loch2021,native",
                                     .blocks = block_a_rank,
                                     .initial = own_block,
                                     .goal = all_blocks,
                                     .in_place = all_blocks,
                                     .bandwidth_factor = all_but_own};

constinit const Collective allgatherv{.name = "allgatherv",
                                      .executable = "allgatherv_bench",
                                      .title = "Allgatherv",
                                      .word = "all-gather",
                                      .unequal_blocks = true,
                                      .kind = &allgather,
                                      .default_algorithms = "loch2021,native",
                                      .blocks = block_a_rank,
                                      .initial = own_block,
                                      .goal = all_blocks,
                                      .in_place = all_blocks,
                                      .bandwidth_factor = all_but_own};

}  // namespace gatherbench::collectives
