// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// The settings of the user (AGTRACE_*), and the facts about the process.
namespace gatherbench::trace {

/// The user's settings, but for the directory. A variable that is not set or wrong leaves the
/// default.
struct Settings {
  std::uint64_t buffer_records = 65'536;    ///< AGTRACE_BUFFER: of 48 bytes in memory
  std::uint64_t most_records = 40'000'000;  ///< AGTRACE_LIMIT: some 300 MB a rank
  std::uint64_t sample = 1;                 ///< AGTRACE_SAMPLE: one in so many calls is recorded
  bool always_synchronise = false;          ///< AGTRACE_SYNC: even if all ranks are on one node
};

/// Returns the settings of rank 0 on all ranks. Rank 0 tells on standard error what is wrong in
/// them, and which variables begin like ours and are none. Collective. Throws mpi::MpiError.
Settings shared_settings(MPI_Comm world);

/// Makes a directory for this run: rank 0 makes a new one, and the other ranks make it on their
/// nodes if it is not there. Returns its path on every rank; empty if rank 0 could not make it.
/// Collective. Throws mpi::MpiError.
std::string shared_directory(MPI_Comm world);

/// Returns whether all ranks read the same clock: they are on one node, in one time namespace.
/// Collective. Throws mpi::MpiError.
bool share_a_clock(MPI_Comm world);

std::string path_of_program();

/// Returns keys and values: host, process number, program, command, MPI library, time.
std::vector<std::pair<std::string, std::string>> describe_process();

}  // namespace gatherbench::trace
