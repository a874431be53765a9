// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/gather_texts.h"

#include <numeric>

#include "runtime/mpi/handles.h"

namespace gatherbench::bench {

std::vector<std::string> gather_texts(const std::string& own, MPI_Comm comm) {
  const auto ranks = static_cast<std::size_t>(mpi::size_of(comm));
  const auto length = static_cast<int>(own.size());
  std::vector<int> lengths(ranks);
  mpi::require(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm), "MPI_Gather");
  std::vector<int> offsets(ranks);
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
  mpi::require(MPI_Gatherv(own.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                           MPI_CHAR, 0, comm),
               "MPI_Gatherv");
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < ranks && mpi::rank_of(comm) == 0; ++r) {
    texts.push_back(
        all.substr(static_cast<std::size_t>(offsets[r]), static_cast<std::size_t>(lengths[r])));
  }
  return texts;
}

}  // namespace gatherbench::bench
