// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

// Texts of ranks that should be alike. All is by messages from one rank to another: ranks whose
// settings of the MPI library are unlike may run unlike algorithms in a collective, and hang.
namespace gatherbench::bench {

/// No rank.
inline constexpr int nobody = -1;

/// For each text the lowest rank that has another one than rank 0, or `nobody`. Every rank gives
/// the same number of texts, and gets the same answer. Collective. Throws mpi::MpiError.
std::vector<int> find_unlike(std::span<const std::string> texts, MPI_Comm comm);

/// The text of `rank`, on every rank. Collective. Throws mpi::MpiError.
std::string text_of_rank(int rank, const std::string& own, MPI_Comm comm);

/// Everybody's text on rank 0, elsewhere none. Collective. Throws mpi::MpiError.
std::vector<std::string> texts_on_rank_zero(const std::string& own, MPI_Comm comm);

}  // namespace gatherbench::bench
