// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <span>
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

// These functions compare texts of ranks. They use messages from one rank to another alone: ranks
// whose settings of the MPI library are unlike may run unlike algorithms in a collective, and hang.

/// This number stands for no rank.
inline constexpr int nobody = -1;

/// Returns for each text the lowest rank whose text differs from rank 0's, or `nobody`. Every rank
/// gives the same number of texts, and gets the same answer. Collective. Throws mpi::MpiError.
std::vector<int> find_unlike(std::span<const std::string> texts, MPI_Comm comm);

/// Returns the text of `rank`, on every rank. Collective. Throws mpi::MpiError.
std::string text_of_rank(int rank, const std::string& own, MPI_Comm comm);

/// Returns the texts of all ranks on rank 0, elsewhere none. Collective. Throws mpi::MpiError.
std::vector<std::string> texts_on_rank_zero(const std::string& own, MPI_Comm comm);

}  // namespace gatherbench::bench
