// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

// These functions compare texts of ranks. They use messages from one rank to another alone: ranks
// whose settings of the MPI library are unlike may run unlike algorithms in a collective, and hang.
namespace gatherbench::bench {

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
