// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/library_calls.h"

#include <algorithm>
#include <array>

#include "mpi/handles.h"

namespace gatherbench::bench {
namespace {

void allgather(const CallArguments& to) {
  const MPI_Datatype type = to.counts.type();
  const int count = to.counts.of(to.rank);
  mpi::require(MPI_Allgather(to.send, count, type, to.receive, count, type, to.comm),
               "MPI_Allgather");
}

void allgatherv(const CallArguments& to) {
  const MPI_Datatype type = to.counts.type();
  mpi::require(MPI_Allgatherv(to.send, to.counts.of(to.rank), type, to.receive, to.counts.counts(),
                              to.counts.offsets(), type, to.comm),
               "MPI_Allgatherv");
}

void alltoall(const CallArguments& to) {
  const MPI_Datatype type = to.counts.type();
  const int count = to.counts.of(0);  // all are equal
  mpi::require(MPI_Alltoall(to.send, count, type, to.receive, count, type, to.comm),
               "MPI_Alltoall");
}

void broadcast(const CallArguments& to) {
  mpi::require(MPI_Bcast(to.receive, to.counts.total(), to.counts.type(), to.root, to.comm),
               "MPI_Bcast");
}

void reduce(const CallArguments& to) {
  const auto count = static_cast<int>(to.bytes / to.reduction.element_bytes);
  mpi::require(
      MPI_Reduce(to.send, to.receive, count, to.reduction.type, to.reduction.op, to.root, to.comm),
      "MPI_Reduce");
}

void gather_bcast(const CallArguments& to) {
  const MPI_Datatype type = to.counts.type();
  const int count = to.counts.of(to.rank);
  mpi::require(MPI_Gather(to.send, count, type, to.receive, count, type, to.root, to.comm),
               "MPI_Gather");
  broadcast(to);
}

void gatherv_bcast(const CallArguments& to) {
  const MPI_Datatype type = to.counts.type();
  mpi::require(MPI_Gatherv(to.send, to.counts.of(to.rank), type, to.receive, to.counts.counts(),
                           to.counts.offsets(), type, to.root, to.comm),
               "MPI_Gatherv");
  broadcast(to);
}

const std::array table{LibraryCalls{collectives::allgather, allgather, gather_bcast},
                       LibraryCalls{collectives::allgatherv, allgatherv, gatherv_bcast},
                       LibraryCalls{collectives::alltoall, alltoall, nullptr},
                       LibraryCalls{collectives::bcast, broadcast, nullptr},
                       LibraryCalls{collectives::reduce, reduce, nullptr}};

}  // namespace

const LibraryCalls& library_calls(const collectives::Collective& collective) {
  return *std::ranges::find(table, &collective,
                            [](const LibraryCalls& row) { return &row.collective; });
}

}  // namespace gatherbench::bench
