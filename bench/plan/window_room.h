// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "bench/plan/setup.h"

namespace gatherbench::bench {

/// Returns the bytes of a rank for the buffers of all cases, one behind the other in a window.
std::int64_t bytes_in_window(const Setup& setup);

/// Returns the bytes of the rank that has most for the channels of all plans that are alive at a
/// time: of algorithms by windows, and of those that select and may take one.
std::int64_t channel_bytes_of_rank(const Setup& setup);

/// Throws InputError if on some node the ranks need more memory that they share than there is: for
/// their buffers (--buffers-in window), or for the channels of algorithms by windows too. Otherwise
/// the MPI library would refuse it after the result file has been begun, or a rank would be killed
/// when it writes there. Collective over `world`; what cases need is known (memory_check.h).
void require_room_for_windows(const Setup& setup, MPI_Comm world);

}  // namespace gatherbench::bench
