// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>

#include "runtime/mpi/window/copies.h"

namespace gatherbench::mpi {

/// Returns true if all requests are complete; takes them on. Throws MpiError.
[[nodiscard]] bool are_complete(std::span<MPI_Request> requests);

/// Lets the MPI library go on with what it still has to send for earlier calls on any communicator.
/// A test of requests that are complete need not do that. Throws MpiError.
void let_library_go_on(MPI_Comm comm);

/// Returns when all copies are done and all requests complete. It takes them on beside each other,
/// and also what the MPI library still has to send for earlier calls on `comm`: the receiver of
/// that may be the rank that others wait for. Ranks that share the processor go on, too (Patience,
/// Backoff). Throws MpiError.
void wait_for(Copies& copies, std::span<MPI_Request> requests, MPI_Comm comm);

}  // namespace gatherbench::mpi
