// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded by test_trace.py: one function of MPI's fails, as where a library has no more of what
// it needs. What fails is the tracer's own call: the program has none.
#include <mpi.h>

#ifdef FAIL_MPI_Comm_dup
extern "C" int PMPI_Comm_dup(MPI_Comm /*comm*/, MPI_Comm* made) {
  *made = MPI_COMM_NULL;
  return MPI_ERR_OTHER;
}
#endif

#ifdef FAIL_MPI_Bcast
extern "C" int PMPI_Bcast(void* /*buffer*/, int /*count*/, MPI_Datatype /*type*/, int /*root*/,
                          MPI_Comm /*comm*/) {
  return MPI_ERR_OTHER;
}
#endif
