// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/window/wait.h"

#include <sched.h>

#include <thread>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::mpi {

void Backoff::yielded(Clock::time_point begin, Clock::time_point end) {
  if (end - begin > longest_of_ranks) until_ = end + sleeps_for * (end - begin);
}

void Backoff::give_away() {
  const Clock::time_point begin = Clock::now();
  if (kind(begin) == Kind::sleep) {
    std::this_thread::sleep_for(sleep);
    return;
  }
  sched_yield();
  yielded(begin, Clock::now());
}

namespace {

/// The largest that every MPI library has; no message has it.
constexpr int tag_of_none = 32767;

}  // namespace

bool are_complete(std::span<MPI_Request> requests) {
  if (requests.empty()) return true;
  int all = 0;
  require(
      MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE),
      "MPI_Testall");
  return all != 0;
}

void let_library_go_on(MPI_Comm comm) {
  // No message has this tag. If one were there, such as that of a later step, Open MPI and MPICH
  // would do nothing else than find it.
  int found = 0;
  require(MPI_Iprobe(MPI_ANY_SOURCE, tag_of_none, comm, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

void wait_for(Copies& copies, std::span<MPI_Request> requests, MPI_Comm comm) {
  // The backoff knows of the load longer than a wait lasts, since most waits are short.
  thread_local Backoff backoff;
  Patience patience;
  while (!copies.done()) {
    const bool moved = copies.advance();
    const Patience::Turn turn = patience.next(moved, copies.left());
    if (turn == Patience::Turn::others) {
      backoff.give_away();
    } else if (!requests.empty()) {
      if (are_complete(requests)) requests = {};
    } else if (turn == Patience::Turn::library) {
      let_library_go_on(comm);
    }
  }
  if (!requests.empty()) wait_all(requests);
}

}  // namespace gatherbench::mpi
