// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// What ranks are: processes of machines (*_mpi.cpp), or simulated ones that share a process
// (*_simgrid.cpp, for SimGrid's SMPI). CMake takes one of the two.
namespace gatherbench::mpi {

/// This rank's steady clock, in nanoseconds.
std::int64_t steady_ns();

/// Passes the time until then without taking a processor.
void sleep_until(std::int64_t local_ns);

/// Passes the time until then as fast as it can look at the clock.
void spin_until(std::int64_t local_ns);

/// Returns when all of them are complete. Throws MpiError.
void wait_all(std::span<MPI_Request> requests);

/// Those that this rank may use.
cpu_set_t own_processors();

/// Where ranks share a process: memory that all of them share too, for messages whose bytes nobody
/// looks at. Throws std::bad_alloc.
std::byte* allocate_folded(std::size_t bytes);
void free_folded(std::byte* bytes);

struct RankModel {
  /// All ranks share a process, so also a clock, the memory and the signals.
  bool one_process;
  /// What steady_ns is, if it is no machine's steady clock.
  std::string_view clock;
  /// Why a rank can have no thread beside itself; empty: it can.
  std::string_view why_no_threads;
};

const RankModel& rank_model();

}  // namespace gatherbench::mpi
