// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/handles.h"
#include "mpi/wait_all.h"

namespace gatherbench::mpi {

void wait_all(std::span<MPI_Request> requests) {
  require(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
}

}  // namespace gatherbench::mpi
