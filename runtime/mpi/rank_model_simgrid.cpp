// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <simgrid/host.h>
#include <smpi/smpi_helpers_internal.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::mpi {

// Returns MPI_Wtime: it is the simulation's time, and no other clock is.
std::int64_t steady_ns() { return std::llround(MPI_Wtime() * 1e9); }

void sleep_until(std::int64_t local_ns) {
  const std::int64_t left_ns = local_ns - steady_ns();
  if (left_ns <= 0) return;
  constexpr std::int64_t second_ns = 1'000'000'000;
  const timespec left{left_ns / second_ns, left_ns % second_ns};
  smpi_nanosleep(&left, nullptr);
}

// Sleeps instead: looking at the clock takes no simulated time, so a loop would never end.
void spin_until(std::int64_t local_ns) { sleep_until(local_ns); }

// Waits for the requests one by one, which ends at the same simulated time as SMPI's MPI_Waitall.
// That looks at all requests again for each that completes: n^2 steps of the program that
// simulates, so minutes where 100 ranks have 100 requests each.
void wait_all(std::span<MPI_Request> requests) {
  for (MPI_Request& request : requests) require(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

// Returns all cores of the simulated host: nothing is bound there.
cpu_set_t own_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int cores = std::min(sg_host_core_count(sg_host_self()), CPU_SETSIZE);
  for (int core = 0; core < cores; ++core) CPU_SET(core, &set);
  return set;
}

std::byte* allocate_folded(std::size_t bytes) {
  return static_cast<std::byte*>(smpi_shared_malloc(bytes, __FILE__, __LINE__));
}
void free_folded(std::byte* bytes) { smpi_shared_free(bytes); }

const RankModel& rank_model() {
  static constexpr RankModel model{true, "MPI_Wtime of SMPI: simulated time, one for all ranks",
                                   "needs a thread beside each rank; SMPI's ranks have none"};
  return model;
}

}  // namespace gatherbench::mpi
