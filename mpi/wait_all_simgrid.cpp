// SPDX-License-Identifier: BSD-3-Clause
//
// SMPI's MPI_Waitall looks at all requests again for each that completes: n^2 steps of the program
// that simulates, so minutes where 100 ranks have 100 requests each. One by one they end at the
// same simulated time.
#include "mpi/handles.h"
#include "mpi/wait_all.h"

namespace gatherbench::mpi {

void wait_all(std::span<MPI_Request> requests) {
  for (MPI_Request& request : requests) require(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

}  // namespace gatherbench::mpi
