// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

namespace gatherbench::mpi {

/// Returns the time of one message of so many bytes between two ranks while one goes the other way
/// as well, as in a step of a ring, in microseconds: the median of batches of exchanges, back to
/// back, between rank 0 and the first rank that shares no memory with it, or rank 1 if all do.
/// (Half a round trip would give each direction a rest, which networks that shape traffic reward.)
/// Each of the two sends on what it received before, as in a ring: of a block that never changes,
/// the receiver's cache would keep a copy. All ranks get the same number; it is negative with one
/// rank, where there is no message. Collective.
///
/// This is the `t` of arrival patterns and the `tau` of bdr. (The T of a trace is another: half the
/// fastest round trip, runtime/trace/message_times.h.)
double measure_message_us(std::int64_t bytes, MPI_Comm comm);

}  // namespace gatherbench::mpi
