// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "mpi/handles.h"
#include "mpi/lowering.h"

// MPI's counts are int. These describe any number of bytes with them.
namespace gatherbench::mpi {

/// The largest number of bytes that goes as a plain count of MPI_CHAR.
inline constexpr std::int64_t most_plain_bytes = 2147483647;

/// One contiguous run of `bytes` > most_plain_bytes, as one element.
Datatype large_type(std::int64_t bytes);

/// All pieces in order, as one element; their offsets count from the buffer's start.
Datatype pieces_type(std::span<const Piece> pieces);

}  // namespace gatherbench::mpi
