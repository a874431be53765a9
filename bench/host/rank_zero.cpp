// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/rank_zero.h"

#include <numeric>
#include <utility>

#include "formats/text/input_error.h"
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

std::string text_of_rank_zero(MPI_Comm comm, const std::function<std::string()>& work) {
  std::string text;
  int failed = 0;
  if (mpi::rank_of(comm) == 0) {
    try {
      text = work();
    } catch (const text::InputError& error) {
      text = error.what();
      failed = 1;
    }
  }
  mpi::require(MPI_Bcast(&failed, 1, MPI_INT, 0, comm), "MPI_Bcast");
  text = mpi::broadcast_text(std::move(text), 0, comm);
  if (failed != 0) throw text::InputError(text);
  return text;
}

void run_on_rank_zero(MPI_Comm comm, const std::function<void()>& work) {
  (void)text_of_rank_zero(comm, [&] {
    work();
    return std::string();
  });
}

}  // namespace gatherbench::bench
