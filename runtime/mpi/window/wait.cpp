// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/window/wait.h"

#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"
#include "runtime/mpi/window/backoff.h"

namespace gatherbench::mpi {
namespace {

constexpr int looks_before_backoff = 100;

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
  int idle = 0;
  while (!copies.done()) {
    idle = copies.advance() ? 0 : idle + 1;
    const bool patient = idle < looks_before_backoff;
    if (!requests.empty() || !patient) take_on(requests, comm);
    if (!patient) backoff.give_away();
  }
  if (!requests.empty()) wait_all(requests);
}

}  // namespace gatherbench::mpi
