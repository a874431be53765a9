// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI library does these by itself: its own call of each collective, and its gather with its
// broadcast. They have no schedule; the benchmark calls them.
#include "algorithms/algorithm.h"

namespace gatherbench::algorithms {

extern constinit const Algorithm library_gather_bcast{
    .name = "library_gather_bcast",
    .title = "MPI_Gather and MPI_Bcast",
    .summary = "MPI_Gather(v) to rank 0, then MPI_Bcast",
    .source = "Pappalardo et al., algorithm 2",
    .default_of = "Open MPI (small blocks of allgatherv below 128 ranks)",
    .how = LibraryCall::gather_bcast};

extern constinit const Algorithm native{
    .name = "native",
    .summary = "the MPI library's own choice; native:NAME its algorithm NAME",
    .source = "the MPI library",
    .kind = nullptr,
    .how = LibraryCall::native};

extern constinit const Algorithm native_nonblocking{
    .name = "native_nonblocking",
    .title = "native, non-blocking",
    .summary = "the MPI library's non-blocking call (MPI_Iallgather), and MPI_Wait at once",
    .source = "the MPI library",
    .kind = nullptr,
    .how = LibraryCall::nonblocking};

extern constinit const Algorithm native_persistent{
    .name = "native_persistent",
    .title = "native, persistent",
    .summary =
        "MPI_Start and MPI_Wait of MPI 4's persistent call (MPI_Allgather_init), which is "
        "made before",
    .source = "the MPI library",
    .kind = nullptr,
    .how = LibraryCall::persistent};

}  // namespace gatherbench::algorithms
