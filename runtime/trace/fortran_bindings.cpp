// SPDX-License-Identifier: BSD-3-Clause
//
// The Fortran functions of MPI, under all names that compilers give them. Some libraries' call
// their C functions by PMPI, so that tracing those is not enough; others' call MPI, which is then
// within a call that is traced already. All arguments are addresses and pass through as they are.
#include <mpi.h>

#include "runtime/mpi/fortran_names.h"
#include "runtime/trace/sizes.h"
#include "runtime/trace/tracer.h"

using namespace gatherbench::trace;  // NOLINT(google-build-using-namespace)

namespace {

using Int = MPI_Fint;

MPI_Datatype type_of(Int handle) { return PMPI_Type_f2c(handle); }

}  // namespace

#define COLLECTIVE(lower, UPPER, operation, PARAMETERS, ARGUMENTS, SIZE)           \
  GATHERBENCH_FORTRAN(lower, UPPER, PARAMETERS,                                    \
                      traced(                                                      \
                          TraceOperation::operation, caller, PMPI_Comm_f2c(*comm), \
                          [&] {                                                    \
                            library ARGUMENTS;                                     \
                            return MPI_SUCCESS;                                    \
                          },                                                       \
                          [&]([[maybe_unused]] const Membership& m) { return SIZE; });)

GATHERBENCH_FORTRAN(init, INIT, (Int * error), library(error); Tracer::the().start();)
GATHERBENCH_FORTRAN(init_thread, INIT_THREAD, (const Int* required, Int* provided, Int* error),
                    library(required, provided, error);
                    Tracer::the().start();)
GATHERBENCH_FORTRAN(finalize, FINALIZE, (Int * error), Tracer::the().finish(); library(error);)
GATHERBENCH_FORTRAN(abort, ABORT, (const Int* comm, const Int* code, Int* error),
                    Tracer::the().abandon("abort");
                    library(comm, code, error);)

COLLECTIVE(barrier, BARRIER, Barrier, (const Int* comm, Int* error), (comm, error), Size())

COLLECTIVE(bcast, BCAST, Bcast,
           (void* buffer, const Int* count, const Int* type, const Int* root, const Int* comm,
            Int* error),
           (buffer, count, type, root, comm, error), one_block(*count, type_of(*type)))

#define FROM_ALL_TO_ALL                                                                          \
  (const void* send, const Int* sends, const Int* send_type, void* receive, const Int* receives, \
   const Int* receive_type, const Int* comm, Int* error)
#define FROM_ALL_TO_ALL_ARGUMENTS \
  (send, sends, send_type, receive, receives, receive_type, comm, error)
COLLECTIVE(allgather, ALLGATHER, Allgather, FROM_ALL_TO_ALL, FROM_ALL_TO_ALL_ARGUMENTS,
           equal_blocks(m, *receives, type_of(*receive_type)))
COLLECTIVE(alltoall, ALLTOALL, Alltoall, FROM_ALL_TO_ALL, FROM_ALL_TO_ALL_ARGUMENTS,
           equal_blocks(m, *receives, type_of(*receive_type)))

COLLECTIVE(allgatherv, ALLGATHERV, Allgatherv,
           (const void* send, const Int* sends, const Int* send_type, void* receive,
            const Int* receives, const Int* places, const Int* receive_type, const Int* comm,
            Int* error),
           (send, sends, send_type, receive, receives, places, receive_type, comm, error),
           own_of_blocks(m, receives, type_of(*receive_type)))

COLLECTIVE(alltoallv, ALLTOALLV, Alltoallv,
           (const void* send, const Int* sends, const Int* send_places, const Int* send_type,
            void* receive, const Int* receives, const Int* receive_places, const Int* receive_type,
            const Int* comm, Int* error),
           (send, sends, send_places, send_type, receive, receives, receive_places, receive_type,
            comm, error),
           all_blocks(m, receives, type_of(*receive_type)))

COLLECTIVE(alltoallw, ALLTOALLW, Alltoallw,
           (const void* send, const Int* sends, const Int* send_places, const Int* send_types,
            void* receive, const Int* receives, const Int* receive_places, const Int* receive_types,
            const Int* comm, Int* error),
           (send, sends, send_places, send_types, receive, receives, receive_places, receive_types,
            comm, error),
           blocks_of_types(m, receives, receive_types, type_of))

#define REDUCTION                                                                     \
  (const void* send, void* receive, const Int* count, const Int* type, const Int* op, \
   const Int* comm, Int* error)
#define REDUCTION_ARGUMENTS (send, receive, count, type, op, comm, error)
COLLECTIVE(allreduce, ALLREDUCE, Allreduce, REDUCTION, REDUCTION_ARGUMENTS,
           one_block(*count, type_of(*type)))
COLLECTIVE(exscan, EXSCAN, Exscan, REDUCTION, REDUCTION_ARGUMENTS,
           one_block(*count, type_of(*type)))
COLLECTIVE(scan, SCAN, Scan, REDUCTION, REDUCTION_ARGUMENTS, one_block(*count, type_of(*type)))
COLLECTIVE(reduce_scatter, REDUCE_SCATTER, Reduce_scatter, REDUCTION, REDUCTION_ARGUMENTS,
           own_of_blocks(m, count, type_of(*type)))
COLLECTIVE(reduce_scatter_block, REDUCE_SCATTER_BLOCK, Reduce_scatter_block, REDUCTION,
           REDUCTION_ARGUMENTS, equal_blocks(m, *count, type_of(*type)))

COLLECTIVE(reduce, REDUCE, Reduce,
           (const void* send, void* receive, const Int* count, const Int* type, const Int* op,
            const Int* root, const Int* comm, Int* error),
           (send, receive, count, type, op, root, comm, error), one_block(*count, type_of(*type)))

#define ROOTED                                                                                   \
  (const void* send, const Int* sends, const Int* send_type, void* receive, const Int* receives, \
   const Int* receive_type, const Int* root, const Int* comm, Int* error)
#define ROOTED_ARGUMENTS \
  (send, sends, send_type, receive, receives, receive_type, root, comm, error)
COLLECTIVE(gather, GATHER, Gather, ROOTED, ROOTED_ARGUMENTS,
           m.rank == *root ? equal_blocks(m, *receives, type_of(*receive_type))
                           : equal_blocks(m, *sends, type_of(*send_type)))
COLLECTIVE(scatter, SCATTER, Scatter, ROOTED, ROOTED_ARGUMENTS,
           m.rank == *root ? equal_blocks(m, *sends, type_of(*send_type))
                           : equal_blocks(m, *receives, type_of(*receive_type)))

COLLECTIVE(gatherv, GATHERV, Gatherv,
           (const void* send, const Int* sends, const Int* send_type, void* receive,
            const Int* receives, const Int* places, const Int* receive_type, const Int* root,
            const Int* comm, Int* error),
           (send, sends, send_type, receive, receives, places, receive_type, root, comm, error),
           m.rank == *root ? own_of_blocks(m, receives, type_of(*receive_type))
                           : one_block(*sends, type_of(*send_type)))

COLLECTIVE(scatterv, SCATTERV, Scatterv,
           (const void* send, const Int* sends, const Int* places, const Int* send_type,
            void* receive, const Int* receives, const Int* receive_type, const Int* root,
            const Int* comm, Int* error),
           (send, sends, places, send_type, receive, receives, receive_type, root, comm, error),
           m.rank == *root ? own_of_blocks(m, sends, type_of(*send_type))
                           : one_block(*receives, type_of(*receive_type)))
