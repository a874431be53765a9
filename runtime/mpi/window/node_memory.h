// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/mpi/handles.h"

namespace gatherbench::mpi {

/// Bytes of this rank that the other ranks of its node can read where they lie: a part of a window
/// (MPI_Win_allocate_shared). A program whose send and receive buffers lie in it gives it to the
/// window of its plans (`make_window`); then a transfer within the node is one copy, straight from
/// the sender's buffer to the receiver's.
class NodeMemory {
 public:
  /// Allocates so many bytes, which need not be the same on all ranks; nothing is written there
  /// yet. The ranks of `node` share memory, as those of `Communicator::of_node(comm)` do; the
  /// object takes `node` over. Collective over it. Throws MpiError; where there is less memory to
  /// share, on all ranks.
  NodeMemory(std::int64_t bytes, Communicator node);
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;
  /// Frees the bytes. Collective over the node, when nobody reads the bytes any more, after the
  /// plans that they were given to and before MPI_Finalize. While an exception is on its way, of
  /// which other ranks may know nothing, the bytes stay until the process ends.
  ~NodeMemory();

  /// Returns the own bytes, at the begin of a page.
  [[nodiscard]] std::span<std::byte> bytes() const { return {of(node_.rank()), bytes_}; }
  /// Returns the begin of the bytes of a rank of the node, as this process sees them.
  [[nodiscard]] std::byte* of(int rank_on_node) const {
    return parts_[static_cast<std::size_t>(rank_on_node)];
  }
  [[nodiscard]] MPI_Comm node() const { return node_.get(); }

  /// Returns how much memory is set aside for so many bytes.
  [[nodiscard]] static std::int64_t taken_for(std::int64_t bytes);
  /// Returns the bytes that can be had where MPI libraries have such memory: 15 of 16 that are
  /// free, since Open MPI refuses the last twentieth; none if the memory is elsewhere. A library
  /// may set aside more than that, and a rank is killed when it writes there.
  [[nodiscard]] static std::optional<std::int64_t> free_bytes();

 private:
  /// Throws on all ranks if there is too little room. Open MPI fails on one rank alone, and the
  /// others wait for it for ever.
  void require_room() const;

  Communicator node_;
  std::size_t bytes_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<std::byte*> parts_;  // of each rank of the node
};

}  // namespace gatherbench::mpi
