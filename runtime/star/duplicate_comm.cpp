// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/duplicate_comm.h"

#include <sys/resource.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "runtime/selection/agreement.h"

namespace gatherbench::star {
namespace {

/// Returns the rank in the world of each rank of `comm`; empty if one has none. Throws
/// mpi::MpiError.
std::vector<int> find_world_ranks(MPI_Comm comm, const World& world) {
  MPI_Group group = MPI_GROUP_NULL;
  mpi::require(PMPI_Comm_group(comm, &group), "MPI_Comm_group");
  std::vector<int> own(static_cast<std::size_t>(mpi::size_of(comm)));
  std::vector<int> theirs(own.size());
  std::iota(own.begin(), own.end(), 0);
  const int code = PMPI_Group_translate_ranks(group, static_cast<int>(own.size()), own.data(),
                                              world.group, theirs.data());
  PMPI_Group_free(&group);
  mpi::require(code, "MPI_Group_translate_ranks");
  if (std::ranges::find(theirs, MPI_UNDEFINED) != theirs.end()) return {};
  return theirs;
}

/// Duplicates `comm` by MPI_Comm_split, since MPI_Comm_dup would run what the program has for
/// copies of its attributes. Returns MPI_COMM_NULL if that fails: an error is no reason to end the
/// program. Collective over `comm`. Throws mpi::MpiError.
MPI_Comm split(MPI_Comm comm, int rank) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  mpi::require(PMPI_Comm_get_errhandler(comm, &handler), "MPI_Comm_get_errhandler");
  mpi::require(PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  MPI_Comm made = MPI_COMM_NULL;
  const int code = PMPI_Comm_split(comm, 0, rank, &made);
  mpi::require(PMPI_Comm_set_errhandler(comm, handler), "MPI_Comm_set_errhandler");
  mpi::require(PMPI_Errhandler_free(&handler), "MPI_Errhandler_free");
  return code == MPI_SUCCESS ? made : MPI_COMM_NULL;
}

/// Returns the bytes of this rank's part of its node's window.
std::int64_t window_bytes(const std::vector<int>& node, int rank) {
  const auto ranks_on_node = std::ranges::count(node, node[static_cast<std::size_t>(rank)]);
  return mpi::NodeWindow::bytes_of_rank(static_cast<int>(ranks_on_node));
}

/// Returns whether this process may make a file of so many bytes and some more, as MPI libraries do
/// in memory for a window. One that may not gets a signal that ends the program, or leaves the
/// other ranks waiting.
bool may_make_file(std::int64_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         limit.rlim_cur / 2 >= static_cast<rlim_t>(bytes);
}

}  // namespace

DuplicateComm::DuplicateComm(World& world, MPI_Comm of)
    : world_(world), of_(of), rank_(mpi::rank_of(of)), ranks_(mpi::size_of(of)) {}

bool DuplicateComm::locate() {
  if (!world_ranks_.empty()) return true;
  world_ranks_ = find_world_ranks(of_, world_);
  placement_.network = world_.switches;
  for (const int each : world_ranks_) {
    placement_.node.push_back(world_.node[static_cast<std::size_t>(each)]);
    if (world_.switches != nullptr) {
      placement_.host.push_back(world_.host[static_cast<std::size_t>(each)]);
    }
  }
  // Numbered in the order of the ranks.
  std::vector<int> seen;
  for (int& node : placement_.node) {
    const auto found = std::ranges::find(seen, node);
    const auto number = static_cast<int>(found - seen.begin());
    if (found == seen.end()) seen.push_back(node);
    node = number;
  }
  return !world_ranks_.empty();
}

std::int64_t DuplicateComm::proposed_id() {
  if (id_ < 0 && rank_ == 0) id_ = static_cast<std::int64_t>(world_.rank) << 32 | world_.ids++;
  return id_;
}

bool DuplicateComm::make() {
  if (get() != MPI_COMM_NULL) return true;
  if (refused_) return false;
  const bool in_the_way = ++world_.duplicates > World::most_duplicates;
  const selection::Trouble before = selection::agree_on_trouble(of_, in_the_way, proposed_id());
  id_ = before.id;
  MPI_Comm made = MPI_COMM_NULL;
  bool failed = before.any;
  if (!failed) {
    made = split(of_, rank_);
    failed = selection::agree_on_trouble(of_, made == MPI_COMM_NULL, id_).any;
  }
  if (!failed) {
    comm_ = mpi::Communicator(made);
    return true;
  }
  if (made != MPI_COMM_NULL) PMPI_Comm_free(&made);
  --world_.duplicates;
  refused_ = true;
  return false;
}

bool DuplicateComm::make_window() {
  if (window_ != nullptr) return true;
  if (window_refused_) return false;
  const std::int64_t bytes = window_bytes(placement_.node, rank_);
  // Each rank of the node may make as large a part now, in the windows of other communicators.
  const std::int64_t here = world_.ranks_here;
  const bool in_the_way = (world_.window_bytes += bytes) * here > World::most_window_bytes ||
                          world_.window_failed || !may_make_file(bytes * here) ||
                          !mpi::NodeWindow::has_room(bytes * here);
  bool failed = selection::agree_on_trouble(of_, in_the_way, id_).any;
  if (!failed) {
    try {
      window_ = std::make_shared<mpi::NodeWindow>(get(), placement_.node);
    } catch (const mpi::MpiError&) {
      world_.window_failed = true;
    }
    failed = selection::agree_on_trouble(of_, window_ == nullptr, id_).any;
  }
  if (!failed) return true;
  window_.reset();
  world_.window_bytes -= bytes;
  window_refused_ = true;
  if (rank_ == 0) ++world_.without_windows;
  return false;
}

void DuplicateComm::free() noexcept {
  if (get() == MPI_COMM_NULL) return;
  if (window_ != nullptr) {
    window_.reset();
    world_.window_bytes -= window_bytes(placement_.node, rank_);
  }
  comm_ = mpi::Communicator();
  --world_.duplicates;
}

}  // namespace gatherbench::star
