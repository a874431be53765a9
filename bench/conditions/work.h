// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

// A computation that is an amount of work, not a time: it takes longer where something disturbs it
// or the processor is slower, as a program's does (Faraj 2006, figure 4.16).
namespace gatherbench::bench {

/// Goes over a small array so many times; the array stays in the processor's nearest cache.
void work(std::int64_t rounds);

/// Returns on every rank how many rounds take this long on rank 0 where nothing disturbs it.
/// Collective; takes some milliseconds.
std::int64_t rounds_of_work(double us, MPI_Comm comm);

}  // namespace gatherbench::bench
