// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded by test_trace.py: no communicator can be duplicated, as where a library has no more of
// them. What fails is the tracer's own call: the program has none.
#include <mpi.h>

extern "C" int PMPI_Comm_dup(MPI_Comm /*comm*/, MPI_Comm* made) {
  *made = MPI_COMM_NULL;
  return MPI_ERR_OTHER;
}
