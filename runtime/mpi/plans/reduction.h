// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace gatherbench::mpi {

/// The operator of a reduction, and the type of its elements.
struct Reduction {
  MPI_Op op = MPI_OP_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< of an element
  std::int64_t element_bytes = 1;

  bool operator==(const Reduction&) const = default;
};

/// Replaces `result` by the operator's result of `first` and `result`. These are bytes of whole
/// elements. Throws MpiError.
void combine(const Reduction& reduction, const std::byte* first, std::byte* result,
             std::int64_t bytes);

/// Returns why an int cannot count the elements of so many bytes; none if it can.
std::optional<std::string> why_not_counted(std::int64_t bytes, std::int64_t element_bytes);

/// Measures how long it takes to combine so many bytes, in microseconds: the median of several
/// times, on rank 0. It returns the same number on every rank. Collective.
double measure_combine_us(const Reduction& reduction, std::int64_t bytes, MPI_Comm comm);

}  // namespace gatherbench::mpi
