// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string_view>

// The operators of reductions that algorithms can be chosen for.
namespace gatherbench::star {

/// Returns the name of an operator that MPI defines, "max" of MPI_MAX, which all ranks give alike;
/// empty for one of the program's own, and for MPI_REPLACE and MPI_NO_OP.
[[nodiscard]] std::string_view name_of(MPI_Op op);

/// Returns true if MPI lets the operator combine elements of this type. MPI_BAND of MPI_DOUBLE is
/// an error, which the MPI library has to say. False also of rare types, such as MPI_C_BOOL.
[[nodiscard]] bool combines(MPI_Op op, MPI_Datatype type);

/// Returns true if the result has the same bits in whatever order such elements are combined:
/// integers, logical and bit operators, the largest and the smallest. A NaN, or a zero of either
/// sign, may still come out as another one of its kind.
[[nodiscard]] bool is_exact(MPI_Op op, MPI_Datatype type);

}  // namespace gatherbench::star
