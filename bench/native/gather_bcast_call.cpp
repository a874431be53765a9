// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/gather_bcast_call.h"

#include "mpi/handles.h"

namespace gatherbench::bench {

GatherBcastCall::GatherBcastCall(const collectives::Collective& collective,
                                 const mpi::Layout& layout, const std::byte* send,
                                 std::byte* receive, MPI_Comm comm)
    : call_(library_calls(collective).gather_bcast),
      counts_(layout),
      send_(send),
      receive_(receive),
      comm_(comm),
      rank_(mpi::rank_of(comm)) {
  if (send != nullptr) return;
  // Only the root of a gather can say MPI_IN_PLACE; the others send from where their block lies.
  send_ = rank_ == 0 ? MPI_IN_PLACE : receive + layout.offset(rank_);
}

void GatherBcastCall::run() { call_({send_, receive_, counts_, rank_, comm_}); }

}  // namespace gatherbench::bench
