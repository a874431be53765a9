// SPDX-License-Identifier: BSD-3-Clause
#include "bench/process/rank_zero.h"

#include <cstdint>

#include "mpi/handles.h"
#include "text/input_error.h"

namespace gatherbench::bench {
namespace {

/// MPI_Bcast of a text; its length goes first.
void broadcast(std::string& text, MPI_Comm comm) {
  auto length = static_cast<int>(text.size());
  mpi::require(MPI_Bcast(&length, 1, MPI_INT, 0, comm), "MPI_Bcast");
  text.resize(static_cast<std::size_t>(length));
  mpi::require(MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm), "MPI_Bcast");
}

}  // namespace

std::string on_rank_zero(MPI_Comm comm, const std::function<std::string()>& work) {
  int rank = 0;
  mpi::require(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  std::string text;
  int failed = 0;
  if (rank == 0) {
    try {
      text = work();
    } catch (const text::InputError& error) {
      text = error.what();
      failed = 1;
    }
  }
  mpi::require(MPI_Bcast(&failed, 1, MPI_INT, 0, comm), "MPI_Bcast");
  broadcast(text, comm);
  if (failed != 0) throw text::InputError(text);
  return text;
}

}  // namespace gatherbench::bench
