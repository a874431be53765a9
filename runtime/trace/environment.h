// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// The settings of the user (AGTRACE_*), and the facts about the process.
namespace gatherbench::trace {

/// Returns how many records the buffer holds, by AGTRACE_BUFFER; the default if that is not set or
/// wrong. With `speak`, what is wrong is told on standard error.
std::size_t buffer_records(bool speak);
/// Returns how many records a rank keeps at most, by AGTRACE_LIMIT, in the same way.
std::size_t most_records(bool speak);

/// Returns the AGTRACE_SAMPLE of rank 0 on all ranks; 1 if it is not set or wrong. Collective.
/// Throws mpi::MpiError.
std::uint64_t shared_sample(MPI_Comm world);

/// Makes a directory for this run: rank 0 makes a new one, and the other ranks make it on their
/// nodes if it is not there. Returns its path on every rank; empty if rank 0 could not make it.
/// Collective. Throws mpi::MpiError.
std::string shared_directory(MPI_Comm world);

/// Returns whether all ranks read the same clock: they are on one node, in one time namespace, and
/// AGTRACE_SYNC is not `always`.
/// Collective. Throws mpi::MpiError.
bool share_a_clock(MPI_Comm world);

std::string path_of_program();

/// Returns keys and values: host, process number, program, command, MPI library, time.
std::vector<std::pair<std::string, std::string>> describe_process();

}  // namespace gatherbench::trace
