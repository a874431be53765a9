// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// Two models of ranks: processes of machines (*_mpi.cpp), or simulated ones that share a process
// (*_simgrid.cpp, for SimGrid's SMPI). CMake takes one of the two.
namespace gatherbench::mpi {

/// Returns the time of this rank's steady clock, in nanoseconds.
std::int64_t steady_ns();

/// Waits until that time without taking a processor.
void sleep_until(std::int64_t local_ns);

/// Waits until that time by looking at the clock without a pause.
void spin_until(std::int64_t local_ns);

/// Waits until all requests are complete. Throws MpiError.
void wait_all(std::span<MPI_Request> requests);

/// Returns the processors that this rank may use.
cpu_set_t own_processors();

/// Allocates memory for messages whose bytes nobody looks at: where ranks share a process, all of
/// them share that memory, too. Throws std::bad_alloc.
std::byte* allocate_folded(std::size_t bytes);
void free_folded(std::byte* bytes);

struct RankModel {
  /// All ranks share a process, so also a clock, the memory and the signals.
  bool one_process;
  /// The name of steady_ns's clock, if it is no machine's steady clock.
  std::string_view clock;
  /// The reason why a rank can have no thread beside itself; empty: it can.
  std::string_view why_no_threads;
};

const RankModel& rank_model();

}  // namespace gatherbench::mpi
