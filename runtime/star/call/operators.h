// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string_view>

#include "runtime/star/call/call.h"

// The operators of reductions that algorithms can be chosen for.
namespace gatherbench::star {

/// Returns the name of an operator that MPI defines, "max" of MPI_MAX, which all ranks give alike;
/// empty for one of the program's own, and for MPI_REPLACE and MPI_NO_OP.
[[nodiscard]] std::string_view name_of(MPI_Op op);

/// Returns true if the result has the same bits in whatever order elements of this named type are
/// combined: integers, logical and bit operators, the largest and the smallest. A NaN, or a zero of
/// either sign, may still come out as another one of its kind.
[[nodiscard]] bool is_exact(MPI_Op op, MPI_Datatype type);

/// Returns true if the MPI library combines elements of this named type by the operator. It is
/// asked, with one element: MPI_BAND of MPI_DOUBLE is an error.
[[nodiscard]] bool does_combine(MPI_Op op, MPI_Datatype type, Alone& alone);

}  // namespace gatherbench::star
