// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "runtime/trace/memberships.h"
#include "runtime/trace/repeats.h"

// Bytes of a call from its arguments, by what is significant on every rank with and without
// MPI_IN_PLACE, so that nobody has to know Fortran's MPI_IN_PLACE.
namespace gatherbench::trace {

inline std::int64_t bytes_of(std::int64_t count, MPI_Datatype type) {
  MPI_Count bytes = 0;
  if (count > 0) PMPI_Type_size_x(type, &bytes);
  return count * static_cast<std::int64_t>(bytes);
}

/// Returns the size of a call whose count is the same on every rank: one buffer.
inline Size one_block(std::int64_t count, MPI_Datatype type) {
  const std::int64_t bytes = bytes_of(count, type);
  return {bytes, bytes};
}

/// Returns the size of a call with a block for each rank, all alike.
inline Size equal_blocks(const Membership& m, std::int64_t count, MPI_Datatype type) {
  const std::int64_t bytes = bytes_of(count, type);
  return {bytes, bytes * m.ranks};
}

template <class Count>
Size own_of_blocks(const Membership& m, const Count* counts, MPI_Datatype type) {
  std::int64_t total = 0;
  for (int i = 0; i < m.ranks; ++i) total += counts[i];
  return {bytes_of(counts[m.rank], type), bytes_of(total, type)};
}

/// Returns all that this rank gets.
template <class Count>
Size all_blocks(const Membership& m, const Count* counts, MPI_Datatype type) {
  const std::int64_t total = own_of_blocks(m, counts, type).total_bytes;
  return {total, total};
}

/// `type_of` makes an MPI_Datatype of an element of `types`.
template <class Count, class Type, class TypeOf>
Size blocks_of_types(const Membership& m, const Count* counts, const Type* types, TypeOf type_of) {
  std::int64_t total = 0;
  for (int i = 0; i < m.ranks; ++i) {
    if (counts[i] > 0) total += bytes_of(counts[i], type_of(types[i]));
  }
  return {total, total};
}

}  // namespace gatherbench::trace
