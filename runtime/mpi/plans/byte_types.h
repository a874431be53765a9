// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/element_type.h"
#include "runtime/mpi/plans/lowering.h"

// MPI's counts are int. These describe any number of bytes with them.
namespace gatherbench::mpi {

/// The largest number of bytes that goes as a plain count of MPI_CHAR, and of others of any type.
inline constexpr std::int64_t max_plain_bytes = 2147483647;

/// One run of `bytes` of data, more than MPI can count, as one: of a user's buffer, which has these
/// elements.
Datatype make_large_type(std::int64_t bytes, const ElementType& element = ElementType());

/// All pieces in order, as one; their offsets are in memory and count from the buffer's start.
Datatype make_pieces_type(std::span<const Piece> pieces,
                          const ElementType& element = ElementType());

}  // namespace gatherbench::mpi
