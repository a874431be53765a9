// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/gather_bcast_call.h"

#include "mpi/handles.h"

namespace gatherbench::bench {
namespace {

constexpr int root = 0;

}  // namespace

GatherBcastCall::GatherBcastCall(Collective collective, const mpi::Layout& layout,
                                 const std::byte* send, std::byte* receive, MPI_Comm comm)
    : collective_(collective), counts_(layout), send_(send), receive_(receive), comm_(comm) {
  int rank = 0;
  mpi::require(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
  own_count_ = counts_.of(rank);
  if (send != nullptr) return;
  // Only the root of a gather can say MPI_IN_PLACE; the others send from where their block lies.
  send_ = rank == root ? MPI_IN_PLACE : receive + layout.offset(rank);
}

void GatherBcastCall::run() {
  const MPI_Datatype type = counts_.type();
  if (collective_ == Collective::allgather) {
    mpi::require(MPI_Gather(send_, own_count_, type, receive_, own_count_, type, root, comm_),
                 "MPI_Gather");
  } else {
    mpi::require(MPI_Gatherv(send_, own_count_, type, receive_, counts_.counts(), counts_.offsets(),
                             type, root, comm_),
                 "MPI_Gatherv");
  }
  mpi::require(MPI_Bcast(receive_, counts_.total(), type, root, comm_), "MPI_Bcast");
}

}  // namespace gatherbench::bench
