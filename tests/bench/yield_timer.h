// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>

#include <array>
#include <cstdio>

namespace gatherbench::bench {

/// MPICH before 5.0 never gives way while it waits, so that with no processor to spare a message
/// takes as long as the scheduler lets the others spin: some ms.
inline bool library_waits_without_yielding() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  int major = 0;
  return std::sscanf(text.data(), "MPICH Version: %d", &major) == 1 && major < 5;
}

/// Gives way for the library, `us` after `us`. For tests only: nothing that is timed may be
/// interrupted like this.
class YieldTimer {
 public:
  explicit YieldTimer(suseconds_t us) {
    struct sigaction action {};
    action.sa_handler = [](int) { sched_yield(); };
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, nullptr);
    set(us);
  }
  ~YieldTimer() { set(0); }
  YieldTimer(const YieldTimer&) = delete;
  YieldTimer& operator=(const YieldTimer&) = delete;

 private:
  static void set(suseconds_t us) {
    const itimerval times{{0, us}, {0, us}};
    setitimer(ITIMER_REAL, &times, nullptr);
  }
};

}  // namespace gatherbench::bench
