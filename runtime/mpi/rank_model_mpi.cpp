// SPDX-License-Identifier: BSD-3-Clause
#include <sys/prctl.h>

#include <chrono>
#include <new>
#include <thread>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::mpi {
namespace {

/// Tells Linux once in each thread to wake it in time: a sleeper wakes up to 50 us late otherwise.
void sleep_precisely() {
  thread_local const bool told = [] {
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    return true;
  }();
  static_cast<void>(told);
}

}  // namespace

std::int64_t steady_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

void sleep_until(std::int64_t local_ns) {
  sleep_precisely();
  const std::chrono::steady_clock::time_point end{std::chrono::nanoseconds(local_ns)};
  std::this_thread::sleep_until(end);
}

void spin_until(std::int64_t local_ns) {
  while (steady_ns() < local_ns) {
  }
}

void wait_all(std::span<MPI_Request> requests) {
  require(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
}

cpu_set_t own_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

std::byte* allocate_folded(std::size_t /*bytes*/) { throw std::bad_alloc(); }
void free_folded(std::byte* /*bytes*/) {}

const RankModel& rank_model() {
  static constexpr RankModel model{false, {}, {}};
  return model;
}

}  // namespace gatherbench::mpi
