// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/mpi/buffers.h"
#include "runtime/star/call/datatypes.h"
#include "runtime/star/call/gather_call.h"

namespace gatherbench::star {

/// The result of a call as blocks in rank order without gaps, whatever the program's own layout is:
/// ranks may differ in that, and messages must not. Where the program's buffer lies so, that is it;
/// elsewhere it is a buffer that goes back to the program's in the end.
class Canonical {
 public:
  /// The own block is in its place when this returns; `block_bytes` are the same on all ranks.
  /// Throws std::bad_alloc, mpi::MpiError.
  Canonical(const GatherCall& call, std::span<const std::int64_t> block_bytes,
            const Datatypes& types, int rank, MPI_Comm comm);

  /// Null if all ranks' blocks are empty.
  [[nodiscard]] std::byte* data() const { return data_; }
  /// All blocks are in their places: now they are to be in the program's.
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

/// Where the blocks lie in rank order without gaps; null if they do not.
[[nodiscard]] std::byte* canonical_place(const GatherCall& call,
                                         std::span<const std::int64_t> block_bytes,
                                         const Datatypes& types);

}  // namespace gatherbench::star
