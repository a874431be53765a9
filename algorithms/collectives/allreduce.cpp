// SPDX-License-Identifier: BSD-3-Clause
//
// All-reduce: each rank has a contribution to one block, the vector; all ranks get what an operator
// makes of all of them. As MPI_Allreduce.
#include "algorithms/collectives/collective.h"

namespace gatherbench::collectives {
namespace {

Blocks the_vector(int /*rank*/, int /*ranks*/) { return {{0, 1}}; }

}  // namespace

constinit const Collective allreduce{
    .name = "allreduce",
    .executable = "allreduce_bench",
    .title = "Allreduce",
    .word = "all-reduce",
    .combines = true,
    .keeps_contributions = true,
    .kind = &allreduce,
    .default_algorithms = "recursive_doubling,ring,rabenseifner,clairvoyant,native",
    .blocks = one_block,
    .initial = the_vector,
    .goal = the_vector,
    .in_place = the_vector,
    // Each rank sends and receives at least twice the others' share of its vector, in a network
    // that does not combine.
    .bandwidth_factor = {"2(p-1)/p", [](int ranks) { return 2 * (ranks - 1.0) / ranks; }}};

}  // namespace gatherbench::collectives
