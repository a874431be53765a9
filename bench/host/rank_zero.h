// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace gatherbench::bench {

/// Everybody's text, by rank, on rank 0; elsewhere nothing. Collective.
std::vector<std::string> gather_texts(const std::string& own, MPI_Comm comm);

/// Runs `work` on rank 0 alone and gives its text to all ranks. An InputError of it is thrown on
/// every rank, so that all leave together. Collective.
std::string on_rank_zero(MPI_Comm comm, const std::function<std::string()>& work);

}  // namespace gatherbench::bench
