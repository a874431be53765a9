// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/rank_model.h"

#include <mpi.h>
#include <smpi/smpi_helpers_internal.h>

#include <cmath>
#include <ctime>

namespace gatherbench {

// MPI_Wtime is the simulation's time, and no other clock is.
std::int64_t steady_ns() { return std::llround(MPI_Wtime() * 1e9); }

void sleep_until(std::int64_t local_ns) {
  const std::int64_t left_ns = local_ns - steady_ns();
  if (left_ns <= 0) return;
  constexpr std::int64_t second_ns = 1'000'000'000;
  const timespec left{left_ns / second_ns, left_ns % second_ns};
  smpi_nanosleep(&left, nullptr);
}

// Looking at the clock takes no simulated time, so it would look for ever.
void spin_until(std::int64_t local_ns) { sleep_until(local_ns); }

const RankModel& rank_model() {
  static constexpr RankModel model{true, "MPI_Wtime of SMPI: simulated time, one for all ranks",
                                   "needs a thread beside each rank; SMPI's ranks have none"};
  return model;
}

}  // namespace gatherbench
