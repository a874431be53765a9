// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

// These functions turn elements of a program's datatypes into bytes, and back.
namespace gatherbench::star {

/// A cache of facts about datatypes. They hang on the datatypes as an attribute, because MPI gives
/// the same handle to a new datatype after a freed one.
class Datatypes {
 public:
  Datatypes();
  ~Datatypes();
  Datatypes(const Datatypes&) = delete;
  Datatypes& operator=(const Datatypes&) = delete;

  /// Returns true if elements lie in memory as they are sent, byte after byte, from the buffer's
  /// address on. Where that is not plain, such as for a vector without gaps, the answer is no.
  [[nodiscard]] bool is_contiguous(MPI_Datatype type) const;

 private:
  int key_ = MPI_KEYVAL_INVALID;
};

/// Returns true for a type that MPI names, whose handle never means another one.
[[nodiscard]] bool is_named(MPI_Datatype type);
/// Returns the bytes of an element; 0 for MPI_DATATYPE_NULL, which the MPI library will refuse.
[[nodiscard]] std::int64_t bytes_of(MPI_Datatype type);
[[nodiscard]] std::int64_t extent_of(MPI_Datatype type);

/// Copies elements of a type, from `from` on, as packed bytes to `to`. `comm` is one of ours, where
/// this rank is `rank`. Throws mpi::MpiError.
void pack(const void* from, std::int64_t count, MPI_Datatype type, std::byte* to, int rank,
          MPI_Comm comm);
/// Copies the packed bytes back to elements of a type. Throws mpi::MpiError.
void unpack(const std::byte* from, void* to, std::int64_t count, MPI_Datatype type, int rank,
            MPI_Comm comm);

}  // namespace gatherbench::star
