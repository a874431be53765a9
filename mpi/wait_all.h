// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>

namespace gatherbench::mpi {

/// Until all of them are complete. Throws MpiError.
void wait_all(std::span<MPI_Request> requests);

}  // namespace gatherbench::mpi
