// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/window/node_window.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include "runtime/mpi/rank_model.h"

namespace gatherbench::mpi {
namespace {

/// Returns a communicator of the ranks of `comm` that share memory with this one and, if `node` is
/// not empty, have the same number in it. Collective over `comm`.
Communicator split(MPI_Comm comm, std::span<const int> node) {
  Communicator sharing = Communicator::of_node(comm);
  if (node.empty()) return sharing;
  MPI_Comm together = MPI_COMM_NULL;
  const int rank = rank_of(comm);
  require(MPI_Comm_split(sharing.get(), node[static_cast<std::size_t>(rank)], rank, &together),
          "MPI_Comm_split");
  return Communicator(together);
}

std::int64_t bytes_of_channels(int ranks) {
  return static_cast<std::int64_t>(sizeof(Channel)) * ranks;
}

std::int64_t bytes_of_part(int ranks) {
  return bytes_of_channels(ranks) + static_cast<std::int64_t>(Stage::bytes);
}

/// Reads from each page, so that the first transfers have no page faults: those took ten times as
/// long as later ones. The sender does it: nobody else writes to slots.
void map_slots(const Channel& channel) {
  const auto read = [](const std::byte& place) {
    static_cast<void>(*static_cast<const volatile std::byte*>(&place));
  };
  for (const auto& slot : channel.data) {
    read(slot.front());
    read(slot.back());
  }
}

}  // namespace

NodeWindow::NodeWindow(MPI_Comm comm, std::span<const int> node, const NodeMemory* buffers) {
  Communicator sharing = split(comm, node);
  own_ = sharing.rank();
  node_rank_ = ranks_in(sharing.get(), comm);
  node_rank_[static_cast<std::size_t>(rank_of(comm))] = -1;
  const int code = sharing.size() > 1 ? make_channels(std::move(sharing), buffers) : MPI_SUCCESS;
  int worst = MPI_SUCCESS;
  // Nobody looks at a counter before it is 0; and if one rank got no memory, none goes on.
  require(MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  require(worst, "MPI_Win_allocate_shared");
  for (int rank = 0; rank < static_cast<int>(to_.size()); ++rank) map_slots(channel(rank, own_));
}

int NodeWindow::make_channels(Communicator sharing, const NodeMemory* buffers) try {
  const int ranks = sharing.size();
  std::vector<int> rank_of_buffers(static_cast<std::size_t>(ranks), -1);
  if (buffers != nullptr) rank_of_buffers = ranks_in(buffers->node(), sharing.get());
  memory_.emplace(bytes_of_part(ranks), std::move(sharing));
  std::byte* place = memory_->bytes().data();
  for (int peer = 0; peer < ranks; ++peer) {
    new (place) Channel{};  // writes to all its pages
    place += sizeof(Channel);
    const int there = rank_of_buffers[static_cast<std::size_t>(peer)];
    const bool reads = there >= 0;  // what lies in the other's buffers
    to_.emplace_back(channel(peer, own_), reads ? buffers->bytes() : std::span<std::byte>());
    from_.emplace_back(channel(own_, peer), reads ? buffers->of(there) : nullptr,
                       memory_->of(peer) + bytes_of_channels(ranks));
  }
  const std::span<std::byte> stage(place, Stage::bytes);
  std::ranges::fill(stage, std::byte{});  // the first transfers have no page faults
  stage_.emplace(stage);
  return MPI_SUCCESS;
} catch (const MpiError& error) {
  return error.code();
} catch (const std::bad_alloc&) {
  return MPI_ERR_NO_MEM;
}

Channel& NodeWindow::channel(int to, int from) const {
  std::byte* const part = memory_->of(to);
  return *std::launder(
      reinterpret_cast<Channel*>(part + static_cast<std::size_t>(from) * sizeof(Channel)));
}

std::int64_t NodeWindow::bytes_of_rank(int ranks_on_node) {
  return ranks_on_node < 2 ? 0 : NodeMemory::taken_for(bytes_of_part(ranks_on_node));
}

bool NodeWindow::has_room(std::int64_t bytes) {
  const std::optional<std::int64_t> free_bytes = NodeMemory::free_bytes();
  return !free_bytes || bytes <= *free_bytes / 2;
}

std::string_view NodeWindow::why_none() {
  return rank_model().one_process
             ? "needs ranks that run beside each other; simulated ones run one after the other"
             : "";
}

std::unique_ptr<NodeWindow> make_window(algorithms::Via via, MPI_Comm comm,
                                        std::span<const int> node, const NodeMemory* buffers) {
  if (via == algorithms::Via::messages) return nullptr;
  return std::make_unique<NodeWindow>(comm, node, buffers);
}

}  // namespace gatherbench::mpi
