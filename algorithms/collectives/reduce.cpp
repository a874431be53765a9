// SPDX-License-Identifier: BSD-3-Clause
//
// Reduction: each rank has a contribution to one block, the vector; the root gets what an operator
// makes of all of them. As MPI_Reduce.
#include "algorithms/collectives/collective.h"

namespace gatherbench::collectives {
namespace {

Blocks contribution(int /*rank*/, int /*ranks*/) { return {{0, 1}}; }

Blocks result_of_root(int rank, int /*ranks*/) { return rank == 0 ? Blocks{{0, 1}} : Blocks{}; }

}  // namespace

constinit const Collective reduce{
    .name = "reduce",
    .executable = "reduce_bench",
    .title = "Reduce",
    .word = "reduction",
    .has_root = true,
    .combines = true,
    .kind = &reduce,
    .default_algorithms = "binomial,parallel_ring,butterfly,linear_pipeline,clairvoyant,native",
    .blocks = one_block,
    .initial = contribution,
    .goal = result_of_root,
    .in_place = result_of_root,
    // Every byte of the vector goes over one link of each rank at least, but the root's.
    .bandwidth_factor = {"1", [](int /*ranks*/) { return 1.0; }}};

}  // namespace gatherbench::collectives
