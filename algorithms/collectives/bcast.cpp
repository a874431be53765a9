// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcast: the root has one block, and all ranks get it. As MPI_Bcast, whose one buffer is the
// root's to send from and the others' to receive into.
#include "algorithms/collectives/collective.h"

namespace gatherbench::collectives {
namespace {

Blocks block_of_root(int rank, int /*ranks*/) { return rank == 0 ? Blocks{{0, 1}} : Blocks{}; }

Blocks the_block(int /*rank*/, int /*ranks*/) { return {{0, 1}}; }

}  // namespace

constinit const Collective bcast{
    .name = "bcast",
    .executable = "bcast_bench",
    .title = "Bcast",
    .word = "broadcast",
    .has_root = true,
    .one_buffer = true,
    .kind = &bcast,
    .default_algorithms = "binomial,scatter_allgather,linear_pipeline,binary,native",
    .blocks = one_block,
    .initial = block_of_root,
    .goal = the_block,
    .in_place = the_block,
    // Every byte of the result comes over one link, but the root's.
    .bandwidth_factor = {"1", [](int /*ranks*/) { return 1.0; }}};

}  // namespace gatherbench::collectives
