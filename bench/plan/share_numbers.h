// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <vector>

// These functions bring numbers from rank 0 to the other ranks, in any amount. Collective.
namespace gatherbench::bench {

using Numbers = std::vector<std::int64_t>;

/// Rank 0's, on every rank.
Numbers broadcast_numbers(Numbers numbers, MPI_Comm comm);

/// Gives each rank the numbers that rank 0 has for it; `of_rank` is called on rank 0 alone, for one
/// rank after the other.
Numbers scatter_numbers(const std::function<Numbers(int rank)>& of_rank, MPI_Comm comm);

}  // namespace gatherbench::bench
