// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/window/node_memory.h"

#include <sys/statvfs.h>

#include <exception>
#include <memory>
#include <utility>

namespace gatherbench::mpi {
namespace {

constexpr std::size_t page = 4096;

}  // namespace

NodeMemory::NodeMemory(std::int64_t bytes, Communicator node)
    : node_(std::move(node)), bytes_(static_cast<std::size_t>(bytes)) {
  require_room();
  std::byte* own = nullptr;
  require(MPI_Win_allocate_shared(taken_for(bytes), 1, MPI_INFO_NULL, node_.get(),
                                  static_cast<void*>(&own), &window_),
          "MPI_Win_allocate_shared");
  const int ranks = node_.size();
  for (int rank = 0; rank < ranks; ++rank) {
    MPI_Aint size = 0;
    int unit = 0;
    void* part = nullptr;
    require(MPI_Win_shared_query(window_, rank, &size, &unit, static_cast<void*>(&part)),
            "MPI_Win_shared_query");
    // All ranks see a part at the same place of a page, so all skip as much to the next page.
    auto room = static_cast<std::size_t>(size);
    parts_.push_back(static_cast<std::byte*>(std::align(page, 1, part, room)));
  }
}

NodeMemory::~NodeMemory() {
  if (window_ != MPI_WIN_NULL && std::uncaught_exceptions() == 0) MPI_Win_free(&window_);
}

void NodeMemory::require_room() const {
  const std::int64_t own = taken_for(static_cast<std::int64_t>(bytes_));
  std::int64_t needed = 0;
  require(MPI_Allreduce(&own, &needed, 1, MPI_INT64_T, MPI_SUM, node_.get()), "MPI_Allreduce");
  const std::optional<std::int64_t> free = free_bytes();
  const int lacks = free && needed > *free ? 1 : 0;
  int any_lacks = 0;  // the memory may change while they look
  require(MPI_Allreduce(&lacks, &any_lacks, 1, MPI_INT, MPI_MAX, node_.get()), "MPI_Allreduce");
  if (any_lacks != 0) throw MpiError("MPI_Win_allocate_shared", MPI_ERR_NO_MEM);
}

std::int64_t NodeMemory::taken_for(std::int64_t bytes) {
  // They take whole pages, so that no two ranks write to one; one more may go to the alignment.
  constexpr auto whole = static_cast<std::int64_t>(page);
  return ((bytes + whole - 1) / whole + 1) * whole;
}

std::optional<std::int64_t> NodeMemory::free_bytes() {
  struct statvfs memory {};
  if (statvfs("/dev/shm", &memory) != 0) return std::nullopt;
  const auto free =
      static_cast<std::int64_t>(memory.f_bavail) * static_cast<std::int64_t>(memory.f_frsize);
  return free - free / 16;
}

}  // namespace gatherbench::mpi
