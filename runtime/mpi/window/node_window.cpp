// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/window/node_window.h"

#include <sys/statvfs.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <numeric>

#include "runtime/mpi/rank_model.h"

namespace gatherbench::mpi {
namespace {

/// The ranks of `comm` that share memory, and, if it is not empty, a number in `node`.
Communicator split(MPI_Comm comm, std::span<const int> node) {
  Communicator sharing = Communicator::of_node(comm);
  if (node.empty()) return sharing;
  MPI_Comm together = MPI_COMM_NULL;
  const int rank = rank_of(comm);
  require(MPI_Comm_split(sharing.get(), node[static_cast<std::size_t>(rank)], rank, &together),
          "MPI_Comm_split");
  return Communicator(together);
}

/// For each rank of `comm` its rank on the node, or -1.
std::vector<int> ranks_on(MPI_Comm node, MPI_Comm comm) {
  std::vector<int> ranks(static_cast<std::size_t>(size_of(comm)));
  std::vector<int> found(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  require(MPI_Comm_group(comm, &all), "MPI_Comm_group");
  require(MPI_Comm_group(node, &some), "MPI_Comm_group");
  require(MPI_Group_translate_ranks(all, static_cast<int>(ranks.size()), ranks.data(), some,
                                    found.data()),
          "MPI_Group_translate_ranks");
  MPI_Group_free(&all);
  MPI_Group_free(&some);
  for (int& rank : found) rank = rank == MPI_UNDEFINED ? -1 : rank;
  return found;
}

}  // namespace

NodeWindow::NodeWindow(MPI_Comm comm, std::span<const int> node)
    : node_(split(comm, node)), own_(node_.rank()), node_rank_(ranks_on(node_.get(), comm)) {
  node_rank_[static_cast<std::size_t>(rank_of(comm))] = -1;
  if (node_.size() > 1) make_window();
}

NodeWindow::~NodeWindow() {
  if (window_ != MPI_WIN_NULL && std::uncaught_exceptions() == 0) MPI_Win_free(&window_);
}

void NodeWindow::make_window() {
  const int code = allocate();
  int worst = MPI_SUCCESS;
  // Nobody looks at a counter before it is 0; and if one rank got no memory, none goes on.
  require(MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, node_.get()), "MPI_Allreduce");
  require(worst, "MPI_Win_allocate_shared");
}

int NodeWindow::allocate() try {
  const int ranks = node_.size();
  std::byte* own = nullptr;
  require(MPI_Win_allocate_shared(bytes_of_rank(ranks), 1, MPI_INFO_NULL, node_.get(),
                                  static_cast<void*>(&own), &window_),
          "MPI_Win_allocate_shared");
  for (int rank = 0; rank < ranks; ++rank) {
    MPI_Aint size = 0;
    int unit = 0;
    void* part = nullptr;
    require(MPI_Win_shared_query(window_, rank, &size, &unit, static_cast<void*>(&part)),
            "MPI_Win_shared_query");
    // All see a part at the same place of a page, so all skip as much.
    auto room = static_cast<std::size_t>(size);
    parts_.push_back(
        static_cast<std::byte*>(std::align(Channel::lines, sizeof(Channel), part, room)));
  }
  std::byte* place = parts_[static_cast<std::size_t>(own_)];
  for (int peer = 0; peer < ranks; ++peer) {
    new (place) Channel;
    place += sizeof(Channel);
    to_.emplace_back(channel(peer, own_));
    from_.emplace_back(channel(own_, peer));
  }
  return MPI_SUCCESS;
} catch (const MpiError& error) {
  return error.code();
} catch (const std::bad_alloc&) {
  return MPI_ERR_NO_MEM;
}

Channel& NodeWindow::channel(int to, int from) const {
  std::byte* const part = parts_[static_cast<std::size_t>(to)];
  return *std::launder(
      reinterpret_cast<Channel*>(part + static_cast<std::size_t>(from) * sizeof(Channel)));
}

std::int64_t NodeWindow::bytes_of_rank(int ranks_on_node) {
  const auto channels = static_cast<std::int64_t>(sizeof(Channel)) * ranks_on_node;
  return ranks_on_node < 2 ? 0 : channels + static_cast<std::int64_t>(Channel::lines);
}

bool NodeWindow::has_room(std::int64_t bytes) {
  struct statvfs memory {};
  if (statvfs("/dev/shm", &memory) != 0) return true;  // it is elsewhere
  const auto free_bytes = static_cast<std::uint64_t>(memory.f_bavail) * memory.f_frsize;
  return static_cast<std::uint64_t>(bytes) <= free_bytes / 2;
}

std::string_view NodeWindow::why_none() {
  return rank_model().one_process
             ? "needs ranks that run beside each other; simulated ones run one after the other"
             : "";
}

std::unique_ptr<NodeWindow> make_window(algorithms::Via via, MPI_Comm comm,
                                        std::span<const int> node) {
  if (via == algorithms::Via::messages) return nullptr;
  return std::make_unique<NodeWindow>(comm, node);
}

}  // namespace gatherbench::mpi
