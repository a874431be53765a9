// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/trace/memberships.h"

#include <algorithm>
#include <numeric>

#include "runtime/mpi/handles.h"

namespace gatherbench::trace {

Memberships::Memberships(MPI_Comm world) {
  mpi::require(
      PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key_, nullptr),
      "MPI_Comm_create_keyval");
  world_rank_ = mpi::rank_of(world);
  mpi::require(PMPI_Comm_group(world, &world_), "MPI_Comm_group");
}

Memberships::~Memberships() {
  PMPI_Group_free(&world_);
  PMPI_Comm_free_keyval(&key_);
}

Membership& Memberships::of(MPI_Comm comm) {
  void* attribute = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, key_, static_cast<void*>(&attribute), &found);
  if (found != 0) return *static_cast<Membership*>(attribute);
  int rank = 0;
  int ranks = 0;
  std::int64_t id = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  bool traced = within_world(comm);
  if (traced) {
    id = static_cast<std::int64_t>(world_rank_) << 32 | ids_++;
    traced = PMPI_Bcast(&id, 1, MPI_INT64_T, 0, comm) == MPI_SUCCESS;
  }
  const std::scoped_lock lock(mutex_);
  Membership& made = known_.emplace_back();
  made.id = id;
  made.number = static_cast<std::uint32_t>(known_.size() - 1);
  made.rank = rank;
  made.ranks = ranks;
  made.traced = traced;
  PMPI_Comm_set_attr(comm, key_, &made);
  return made;
}

/// Returns false for an intercommunicator, and if processes were spawned or connected.
bool Memberships::within_world(MPI_Comm comm) const {
  int between_groups = 0;
  MPI_Group group = MPI_GROUP_NULL;
  int ranks = 0;
  if (PMPI_Comm_test_inter(comm, &between_groups) != MPI_SUCCESS || between_groups != 0 ||
      PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS || PMPI_Comm_group(comm, &group) != MPI_SUCCESS) {
    return false;
  }
  std::vector<int> own(static_cast<std::size_t>(ranks));
  std::vector<int> theirs(own.size());
  std::iota(own.begin(), own.end(), 0);
  const int code = PMPI_Group_translate_ranks(group, ranks, own.data(), world_, theirs.data());
  PMPI_Group_free(&group);
  return code == MPI_SUCCESS && std::ranges::find(theirs, MPI_UNDEFINED) == theirs.end();
}

std::uint32_t Memberships::count() {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::uint32_t>(known_.size());
}

std::vector<std::string> Memberships::lines_from(std::uint32_t first) {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> lines;
  for (std::size_t i = first; i < known_.size(); ++i) {
    const Membership& each = known_[i];
    if (!each.traced) continue;
    lines.push_back(std::to_string(each.number) + ' ' + std::to_string(each.id) + ' ' +
                    std::to_string(each.rank) + ' ' + std::to_string(each.ranks));
  }
  return lines;
}

}  // namespace gatherbench::trace
