// SPDX-License-Identifier: BSD-3-Clause
//
// What the MPI library does by itself: its own call of each collective, and its gather with its
// broadcast. They have no schedule; the benchmark calls them.
#include "algorithms/algorithm.h"

namespace gatherbench::algorithms {

extern constinit const Algorithm library_gather_bcast{
    .name = "library_gather_bcast",
    .title = "MPI_Gather and MPI_Bcast",
    .summary = "MPI_Gather(v) to rank 0, then MPI_Bcast",
    .source = "Pappalardo et al., algorithm 2",
    .default_of = "Open MPI (small blocks of allgatherv below 128 ranks)",
    .library_call = LibraryCall::gather_bcast};

extern constinit const Algorithm native{
    .name = "native",
    .summary = "the MPI library's own choice; native:NAME its algorithm NAME",
    .source = "the MPI library",
    .kind = nullptr,
    .library_call = LibraryCall::native};

}  // namespace gatherbench::algorithms
