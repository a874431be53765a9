// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "runtime/mpi/handles.h"

namespace gatherbench::bench {

/// Initialises and finalises MPI. `level` is what is asked of its threads.
class MpiEnvironment {
 public:
  MpiEnvironment(int* argc, char*** argv, int level) {
    int provided = 0;
    MPI_Init_thread(argc, argv, level, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    rank_ = mpi::rank_of(MPI_COMM_WORLD);
  }
  ~MpiEnvironment() { MPI_Finalize(); }
  MpiEnvironment(const MpiEnvironment&) = delete;
  MpiEnvironment& operator=(const MpiEnvironment&) = delete;
  [[nodiscard]] int rank() const { return rank_; }

 private:
  int rank_ = 0;
};

}  // namespace gatherbench::bench
