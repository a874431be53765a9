// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/mpi/buffers.h"
#include "runtime/star/call/datatypes.h"
#include "runtime/star/call/gather_call.h"

namespace gatherbench::star {

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

}  // namespace gatherbench::star
