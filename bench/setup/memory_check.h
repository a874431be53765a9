// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "bench/setup/setup.h"

namespace gatherbench::bench {

/// Notes what the cases need and what a rank may use: --mem-limit, but not more than its share of
/// its node. Throws InputError if a case, or --measure-model, needs more, or the buffers of a node
/// more than its ranks can share (--buffers-in window). Collective over `world`.
void require_memory(Setup& setup, MPI_Comm world);

/// Of a rank, for the buffers of all cases one behind the other in a window.
std::int64_t bytes_in_window(const Setup& setup);

}  // namespace gatherbench::bench
