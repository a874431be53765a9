// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "runtime/mpi/buffers.h"
#include "runtime/mpi/handles.h"
#include "runtime/star/call/datatypes.h"

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

/// The arguments of an MPI_Allgather that say which bytes it moves, if its types are named.
struct Shape {
  bool in_place = false;
  std::int64_t sends = 0;
  MPI_Datatype send_type{};
  std::int64_t receives = 0;
  MPI_Datatype receive_type{};

  bool operator==(const Shape&) const = default;
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
  /// Returns the shape of an MPI_Allgather.
  [[nodiscard]] Shape shape() const {
    if (send == MPI_IN_PLACE) return {true, 0, {}, receives[0], receive_type};
    return {false, sends, send_type, receives[0], receive_type};
  }
  /// Returns the begin of a rank's block, in extents of the type.
  [[nodiscard]] std::int64_t place(int rank) const {
    return is_v() ? places[rank] : rank * receives[rank];
  }
};

/// The result of a call, packed: blocks in the order of ranks, without gaps. Receive buffers may be
/// laid out differently on each rank, but both ends of a message have to see the same bytes. If the
/// program's own receive buffer is packed, it is used. Otherwise a buffer of ours takes the blocks,
/// and `finish` copies them to where the program wants them.
class PackedResult {
 public:
  /// The own block is in its place when this returns; `block_bytes` are the same on all ranks.
  /// Throws std::bad_alloc, mpi::MpiError.
  PackedResult(const GatherCall& call, std::span<const std::int64_t> block_bytes,
               const Datatypes& types, int rank, MPI_Comm comm);

  /// Null if all ranks' blocks are empty.
  [[nodiscard]] std::byte* data() const { return data_; }
  /// Copies all blocks, which are in their places here, to the program's buffer.
  void finish() const;

 private:
  void place_own() const;

  const GatherCall& call_;
  std::span<const std::int64_t> block_bytes_;
  const Datatypes& types_;
  int rank_;
  MPI_Comm comm_;
  std::int64_t extent_;
  mpi::Buffer staging_;  // none where the program's buffer serves
  std::byte* data_ = nullptr;
  bool staged_ = false;
};

/// Returns the begin of the blocks if they lie in rank order without gaps; null if they do not.
[[nodiscard]] std::byte* packed_place(const GatherCall& call,
                                      std::span<const std::int64_t> block_bytes,
                                      const Datatypes& types);

/// A communicator of this rank only, whose errors are returned; of one call at a time.
struct Alone {
  mpi::Communicator comm;
  std::mutex in_use;
};

/// Returns true if the MPI library refuses the call's buffers. The library is asked, by an
/// all-gather of `alone`, only where it may refuse: libraries differ in what they look at. `rank`
/// is this rank's, of so many.
[[nodiscard]] bool are_buffers_refused(const GatherCall& call, int rank, int ranks, Alone& alone);

}  // namespace gatherbench::star
