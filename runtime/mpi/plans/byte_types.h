// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/element_type.h"
#include "runtime/mpi/plans/lowering.h"

// MPI's counts are int. These types describe any number of bytes with them.
namespace gatherbench::mpi {

/// The largest number of bytes that goes as a plain count of MPI_CHAR, and the largest count of any
/// other type.
inline constexpr std::int64_t max_plain_bytes = 2147483647;

/// Returns a type that stands for one run of `bytes` bytes of data, which may be more than MPI can
/// count. The run lies in a user's buffer, which has these elements. Throws MpiError.
Datatype make_large_type(std::int64_t bytes, const ElementType& element = ElementType());

/// Returns a type that stands for all pieces, in order. Their offsets are in memory and count from
/// the buffer's start. Throws MpiError.
Datatype make_pieces_type(std::span<const Piece> pieces,
                          const ElementType& element = ElementType());

}  // namespace gatherbench::mpi
