// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/library_calls.h"

#include <algorithm>
#include <array>
#include <optional>

#include "runtime/mpi/handles.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

// MPI 4's persistent collectives. Open MPI 5 has them, though it is MPI 3; Open MPI 4 as an
// extension.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define GATHERBENCH_PERSISTENT(title) MPI_##title##_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define GATHERBENCH_PERSISTENT(title) MPIX_##title##_init
#endif

namespace gatherbench::bench {
namespace {

// A collective's calls have the same arguments, but for what follows the communicator: nothing, a
// non-blocking one's request, or a persistent one's info and request.

template <typename Function, typename... Last>
int allgather(Function call, const CallArguments& to, Last... last) {
  const MPI_Datatype type = to.counts.type();
  const int count = to.counts.of(to.rank);
  return call(to.send, count, type, to.receive, count, type, to.comm, last...);
}

template <typename Function, typename... Last>
int allgatherv(Function call, const CallArguments& to, Last... last) {
  const MPI_Datatype type = to.counts.type();
  return call(to.send, to.counts.of(to.rank), type, to.receive, to.counts.counts(),
              to.counts.offsets(), type, to.comm, last...);
}

template <typename Function, typename... Last>
int alltoall(Function call, const CallArguments& to, Last... last) {
  const MPI_Datatype type = to.counts.type();
  const int count = to.counts.of(0);  // all are equal
  return call(to.send, count, type, to.receive, count, type, to.comm, last...);
}

template <typename Function, typename... Last>
int bcast(Function call, const CallArguments& to, Last... last) {
  return call(to.receive, to.counts.all_count(), to.counts.all_type(), to.root, to.comm, last...);
}

template <typename Function, typename... Last>
int reduce(Function call, const CallArguments& to, Last... last) {
  const auto count = static_cast<int>(to.bytes / to.reduction.element_bytes);
  return call(to.send, to.receive, count, to.reduction.type, to.reduction.op, to.root, to.comm,
              last...);
}

template <typename Function, typename... Last>
int allreduce(Function call, const CallArguments& to, Last... last) {
  const auto count = static_cast<int>(to.bytes / to.reduction.element_bytes);
  return call(to.send, to.receive, count, to.reduction.type, to.reduction.op, to.comm, last...);
}

#ifdef GATHERBENCH_PERSISTENT
#define GATHERBENCH_MAKE(name, title)                                                        \
  [](const CallArguments& to) {                                                              \
    MPI_Request request = MPI_REQUEST_NULL;                                                  \
    mpi::require(name(GATHERBENCH_PERSISTENT(title), to, MPI_Info{MPI_INFO_NULL}, &request), \
                 "MPI_" #title "_init");                                                     \
    return request;                                                                          \
  }
#else
#define GATHERBENCH_MAKE(name, title) nullptr
#endif

// `name` is that of the arguments above, `title` the one that MPI's names have.
#define GATHERBENCH_CALLS(name, title)                                                 \
  [](const CallArguments& to) { mpi::require(name(MPI_##title, to), "MPI_" #title); }, \
      [](const CallArguments& to) {                                                    \
        MPI_Request request = MPI_REQUEST_NULL;                                        \
        mpi::require(name(MPI_I##name, to, &request), "MPI_I" #name);                  \
        return request;                                                                \
      },                                                                               \
      GATHERBENCH_MAKE(name, title)

void gather_bcast(const CallArguments& to) {
  const MPI_Datatype type = to.counts.type();
  const int count = to.counts.of(to.rank);
  mpi::require(MPI_Gather(to.send, count, type, to.receive, count, type, to.root, to.comm),
               "MPI_Gather");
  mpi::require(bcast(MPI_Bcast, to), "MPI_Bcast");
}

void gatherv_bcast(const CallArguments& to) {
  const MPI_Datatype type = to.counts.type();
  mpi::require(MPI_Gatherv(to.send, to.counts.of(to.rank), type, to.receive, to.counts.counts(),
                           to.counts.offsets(), type, to.root, to.comm),
               "MPI_Gatherv");
  mpi::require(bcast(MPI_Bcast, to), "MPI_Bcast");
}

const std::array calls{
    LibraryCalls{collectives::allgather, GATHERBENCH_CALLS(allgather, Allgather), gather_bcast},
    LibraryCalls{collectives::allgatherv, GATHERBENCH_CALLS(allgatherv, Allgatherv), gatherv_bcast},
    LibraryCalls{collectives::alltoall, GATHERBENCH_CALLS(alltoall, Alltoall), nullptr},
    LibraryCalls{collectives::bcast, GATHERBENCH_CALLS(bcast, Bcast), nullptr},
    LibraryCalls{collectives::reduce, GATHERBENCH_CALLS(reduce, Reduce), nullptr},
    LibraryCalls{collectives::allreduce, GATHERBENCH_CALLS(allreduce, Allreduce), nullptr}};

}  // namespace

const LibraryCalls& library_calls(const collectives::Collective& collective) {
  return *std::ranges::find(calls, &collective,
                            [](const LibraryCalls& row) { return &row.collective; });
}

std::optional<std::string> why_not(algorithms::LibraryCall call,
                                   const collectives::Collective& collective) {
  const bool lacks = call == algorithms::LibraryCall::persistent &&
                     library_calls(collective).persistent == nullptr;
  if (!lacks) return std::nullopt;
  return "needs the persistent collectives of MPI 4, which this library has not";
}

}  // namespace gatherbench::bench
