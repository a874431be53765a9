// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "bench/options/options.h"

// What of --buffers, --buffer-offset, --pages and --buffers-in depends on the nodes.
namespace gatherbench::bench {

/// What is done to buffers before each call: on every rank the same, whatever caches their nodes
/// have. Throws InputError. Collective over `world`.
BufferChoice find_buffers(const Options& options, MPI_Comm world);

/// Whether buffers can lie so, on all nodes alike. Throws InputError. Collective over `world`.
void require_places(const BufferPlaces& places, MPI_Comm world);

}  // namespace gatherbench::bench
