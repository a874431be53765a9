// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/window/backoff.h"

#include <sched.h>

#include <thread>

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

}  // namespace gatherbench::mpi
