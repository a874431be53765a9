// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/rank_zero.h"

#include <utility>

#include "formats/text/input_error.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {

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
