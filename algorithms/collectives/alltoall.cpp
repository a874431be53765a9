// SPDX-License-Identifier: BSD-3-Clause
//
// All-to-all: each rank has a block for each rank, block i p + j being what rank i has for rank j.
// As MPI_Alltoall.
#include <cstddef>

#include "algorithms/collectives/collective.h"

namespace gatherbench::collectives {
namespace {

int block_a_pair(int ranks) { return ranks * ranks; }

Blocks from_rank(int rank, int ranks) { return {{rank * ranks, ranks}}; }

Blocks to_rank(int rank, int ranks) {
  Blocks blocks;
  blocks.reserve(static_cast<std::size_t>(ranks));
  for (int from = 0; from < ranks; ++from) blocks.push_back({from * ranks + rank, 1});
  return blocks;
}

}  // namespace

constinit const Collective alltoall{
    .name = "alltoall",
    .executable = "alltoall_bench",
    .title = "Alltoall",
    .word = "all-to-all",
    .unequal_blocks = false,
    .kind = &alltoall,
    .default_algorithms = "linear,spread,shift,pair,bruck,native",
    .blocks = block_a_pair,
    .most_ranks = 46340,  // the root of 2^31
    .initial = from_rank,
    .goal = to_rank,
    .in_place = from_rank,
    .packs = true,
    // The block that a rank has for itself needs no link.
    .bandwidth_factor = {"(p-1)/p", [](int ranks) { return (ranks - 1.0) / ranks; }}};

}  // namespace gatherbench::collectives
