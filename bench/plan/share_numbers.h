// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <vector>

// From rank 0 to the others, of any length. Collective.
namespace gatherbench::bench {

using Numbers = std::vector<std::int64_t>;

/// Rank 0's, on every rank.
Numbers broadcast_numbers(Numbers numbers, MPI_Comm comm);

/// What rank 0 has for each rank; `of_rank` is called there alone, one rank after the other.
Numbers scatter_numbers(const std::function<Numbers(int rank)>& of_rank, MPI_Comm comm);

}  // namespace gatherbench::bench
