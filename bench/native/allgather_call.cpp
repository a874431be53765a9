// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/allgather_call.h"

#include <utility>

namespace gatherbench::bench {

NativeCall::NativeCall(Collective collective, const mpi::Layout& layout, const std::byte* send,
                       std::byte* receive, MPI_Comm comm, std::vector<mpi::Setting> settings)
    : collective_(collective),
      counts_(layout),
      send_(send == nullptr ? MPI_IN_PLACE : send),
      receive_(receive),
      comm_(comm),
      settings_(std::move(settings)) {
  int rank = 0;
  mpi::require(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
  own_count_ = counts_.of(rank);
}

void NativeCall::run() {
  const MPI_Datatype type = counts_.type();
  if (collective_ == Collective::allgather) {
    mpi::require(MPI_Allgather(send_, own_count_, type, receive_, own_count_, type, comm_),
                 "MPI_Allgather");
  } else {
    mpi::require(MPI_Allgatherv(send_, own_count_, type, receive_, counts_.counts(),
                                counts_.offsets(), type, comm_),
                 "MPI_Allgatherv");
  }
}

}  // namespace gatherbench::bench
