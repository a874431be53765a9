// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace gatherbench::bench {

/// Returns the texts of all ranks, by rank, on rank 0; elsewhere nothing. Collective.
std::vector<std::string> gather_texts(const std::string& own, MPI_Comm comm);

/// Runs `work` on rank 0 alone. An InputError of it is thrown on every rank, so that all leave
/// together. Collective.
void run_on_rank_zero(MPI_Comm comm, const std::function<void()>& work);

/// Does the same, and gives the text that `work` returns to all ranks.
std::string text_of_rank_zero(MPI_Comm comm, const std::function<std::string()>& work);

}  // namespace gatherbench::bench
