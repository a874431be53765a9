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

/// AGTRACE_BUFFER, and AGTRACE_LIMIT; `speak` says what is wrong with them.
std::size_t buffer_records(bool speak);
std::size_t most_records(bool speak);

/// AGTRACE_SAMPLE of rank 0, on all ranks. Collective. Throws mpi::MpiError.
std::uint64_t shared_sample(MPI_Comm world);

/// A directory that rank 0 made for this run, on every rank and every node; empty if it could not.
/// Collective. Throws mpi::MpiError.
std::string shared_directory(MPI_Comm world);

/// Returns whether all ranks read the same clock: they are on one node, in one time namespace, and
/// AGTRACE_SYNC is not `always`.
/// Collective. Throws mpi::MpiError.
bool share_a_clock(MPI_Comm world);

std::string path_of_program();

/// Host, process number, program, command, MPI library, time: keys and values.
std::vector<std::pair<std::string, std::string>> describe_process();

}  // namespace gatherbench::trace
