// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/choice/message_form.h"
#include "runtime/mpi/window/channel.h"
#include "runtime/mpi/window/node_memory.h"

namespace gatherbench::mpi {

/// Shared memory of the ranks of a node, with a channel from each of them to each other one, and a
/// stage of each. The channels that lead to a rank lie in its own part of the memory, and behind
/// them its stage.
class NodeWindow {
 public:
  /// Ranks of `comm` are on one node if they share memory and have the same number in `node`, which
  /// has a number for every rank of `comm`; if `node` is empty, sharing memory is enough. With
  /// `buffers`, which all ranks give or none and which outlive the window, bytes that are sent from
  /// there are copied once by ranks that share them. Collective over `comm`, as the destructor is.
  /// Throws MpiError; where a rank got no memory, on all ranks.
  NodeWindow(MPI_Comm comm, std::span<const int> node, const NodeMemory* buffers = nullptr);

  /// Returns true if there are channels to and from this rank of `comm`; there are none to the own
  /// one.
  [[nodiscard]] bool reaches(int peer) const { return node_rank(peer) >= 0; }
  /// Returns the own end of the channel to a rank that is reached; from() that of the one from it.
  [[nodiscard]] PutEnd& to(int peer) { return to_[index(peer)]; }
  [[nodiscard]] TakeEnd& from(int peer) { return from_[index(peer)]; }
  /// Returns the own stage, if any rank is reached.
  [[nodiscard]] Stage& stage() { return *stage_; }
  /// Returns the memory of the channel that leads here from a rank that is reached.
  [[nodiscard]] Channel& memory_from(int peer) const { return channel(own_, node_rank(peer)); }

  /// Returns the bytes of the own part of the memory, where so many ranks are on the node; 0 for
  /// one.
  [[nodiscard]] static std::int64_t bytes_of_rank(int ranks_on_node);
  /// Returns true if there is twice as much memory where MPI libraries have it, or if they have it
  /// elsewhere. Without that, a rank may be killed as soon as it writes to a part that is there by
  /// name only.
  [[nodiscard]] static bool has_room(std::int64_t bytes);
  /// Returns why ranks can have no window; empty if they can.
  [[nodiscard]] static std::string_view why_none();

 private:
  /// Returns the channel in the memory of the rank `to` of the node that the rank `from` fills.
  [[nodiscard]] Channel& channel(int to, int from) const;
  [[nodiscard]] int node_rank(int peer) const { return node_rank_[static_cast<std::size_t>(peer)]; }
  [[nodiscard]] std::size_t index(int peer) const {
    return static_cast<std::size_t>(node_rank(peer));
  }
  /// Makes the channels and the stage; returns MPI's error code.
  [[nodiscard]] int make_channels(Communicator sharing, const NodeMemory* buffers);

  int own_ = 0;                 // rank on the node
  std::vector<int> node_rank_;  // of each rank of the communicator; -1: another node, or this rank
  std::optional<NodeMemory> memory_;  // none: the rank is alone on the node
  std::vector<PutEnd> to_;            // by rank of the node; the own one is never used
  std::vector<TakeEnd> from_;
  std::optional<Stage> stage_;
};

/// Returns a window if transfers go by way of one, as the constructor makes it, collectively over
/// `comm`; else returns null.
std::unique_ptr<NodeWindow> make_window(algorithms::Via via, MPI_Comm comm,
                                        std::span<const int> node,
                                        const NodeMemory* buffers = nullptr);

}  // namespace gatherbench::mpi
