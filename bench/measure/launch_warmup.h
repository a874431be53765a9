// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "bench/options/options.h"

namespace gatherbench::bench {

/// Describes how a launch is warmed up, for its metadata.
std::string describe_launch_warmup(const Options& options);

/// Passes messages of so many bytes, at most 1 MiB, along the ring of ranks. A library gets faster
/// over its first thousands of large messages, whichever algorithm sends them: memory that it
/// shares or registers is touched for the first time. Without this, the algorithm that is timed
/// first would pay for it. Does nothing with `--warmup 0`, and where time is simulated, which knows
/// of no such memory. Collective.
void warm_up_launch(const Options& options, std::int64_t bytes, MPI_Comm comm);

}  // namespace gatherbench::bench
