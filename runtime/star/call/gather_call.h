// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace gatherbench::star {

/// A number for each rank, of the type in which the program gave them; or one for all.
class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(std::int64_t of_all) : of_all_(of_all) {}
  template <class Integer>
  explicit Numbers(const Integer* numbers)
      : numbers_(numbers), read_([](const void* from, int rank) {
          return static_cast<std::int64_t>(static_cast<const Integer*>(from)[rank]);
        }) {}

  [[nodiscard]] std::int64_t operator[](int rank) const {
    return read_ == nullptr ? of_all_ : read_(numbers_, rank);
  }
  [[nodiscard]] bool are_one() const { return read_ == nullptr; }

 private:
  std::int64_t of_all_ = 0;
  const void* numbers_ = nullptr;
  std::int64_t (*read_)(const void* from, int rank) = nullptr;
};

/// The arguments of MPI_Allgather or MPI_Allgatherv.
struct GatherCall {
  const void* send;  ///< or MPI_IN_PLACE
  std::int64_t sends;
  MPI_Datatype send_type;
  void* receive;
  Numbers receives;
  Numbers places;  ///< of MPI_Allgatherv, in extents of the type
  MPI_Datatype receive_type;
  MPI_Comm comm;

  [[nodiscard]] bool is_v() const { return !receives.are_one(); }
  /// Returns the begin of a rank's block, in extents of the type.
  [[nodiscard]] std::int64_t place(int rank) const {
    return is_v() ? places[rank] : rank * receives[rank];
  }
};

}  // namespace gatherbench::star
