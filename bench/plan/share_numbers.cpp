// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/share_numbers.h"

#include <algorithm>
#include <utility>

#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

constexpr std::int64_t most_at_once = std::int64_t{1} << 27;  // counts of MPI are of int

/// `pass` takes a part of the numbers and its count.
void in_parts(Numbers& numbers, const std::function<void(std::int64_t*, int)>& pass) {
  for (std::int64_t first = 0; first < std::ssize(numbers); first += most_at_once) {
    pass(numbers.data() + first,
         static_cast<int>(std::min(most_at_once, std::ssize(numbers) - first)));
  }
}

}  // namespace

Numbers broadcast_numbers(Numbers numbers, MPI_Comm comm) {
  std::int64_t count = std::ssize(numbers);
  mpi::require(MPI_Bcast(&count, 1, MPI_INT64_T, 0, comm), "MPI_Bcast");
  numbers.resize(static_cast<std::size_t>(count));
  in_parts(numbers, [&](std::int64_t* part, int size) {
    mpi::require(MPI_Bcast(part, size, MPI_INT64_T, 0, comm), "MPI_Bcast");
  });
  return numbers;
}

Numbers scatter_numbers(const std::function<Numbers(int rank)>& of_rank, MPI_Comm comm) {
  if (mpi::rank_of(comm) == 0) {
    const int ranks = mpi::size_of(comm);
    for (int rank = 1; rank < ranks; ++rank) {
      Numbers numbers = of_rank(rank);
      const std::int64_t count = std::ssize(numbers);
      mpi::require(MPI_Send(&count, 1, MPI_INT64_T, rank, 0, comm), "MPI_Send");
      in_parts(numbers, [&](const std::int64_t* part, int size) {
        mpi::require(MPI_Send(part, size, MPI_INT64_T, rank, 0, comm), "MPI_Send");
      });
    }
    return of_rank(0);
  }
  std::int64_t count = 0;
  mpi::require(MPI_Recv(&count, 1, MPI_INT64_T, 0, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  Numbers numbers(static_cast<std::size_t>(count));
  in_parts(numbers, [&](std::int64_t* part, int size) {
    mpi::require(MPI_Recv(part, size, MPI_INT64_T, 0, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  });
  return numbers;
}

}  // namespace gatherbench::bench
