// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/window/wait.h"

#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"
#include "runtime/mpi/window/backoff.h"
#include "runtime/mpi/window/patience.h"

namespace gatherbench::mpi {
namespace {

/// Lets the MPI library go on with its messages.
void take_on(std::span<MPI_Request> requests, MPI_Comm comm) {
  int any = 0;
  if (requests.empty()) {
    require(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &any, MPI_STATUS_IGNORE), "MPI_Iprobe");
  } else {
    require(
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &any, MPI_STATUSES_IGNORE),
        "MPI_Testall");
  }
}

}  // namespace

void wait_for(Copies& copies, std::span<MPI_Request> requests, MPI_Comm comm) {
  // What it knows of the load outlasts a wait, since most waits are short.
  thread_local Backoff backoff;
  Patience patience;
  while (!copies.done()) {
    const bool moved = copies.advance();
    switch (patience.next(moved, copies.left())) {
      case Patience::Turn::none:
        if (!requests.empty()) take_on(requests, comm);
        break;
      case Patience::Turn::library:
        take_on(requests, comm);
        break;
      case Patience::Turn::others:
        backoff.give_away();
        break;
    }
  }
  if (!requests.empty()) wait_all(requests);
}

}  // namespace gatherbench::mpi
