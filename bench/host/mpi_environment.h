// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <stdexcept>
#include <string>

#include "runtime/mpi/handles.h"

namespace gatherbench::bench {

/// Initialises and finalises MPI. `level` is what is asked of its threads.
class MpiEnvironment {
 public:
  MpiEnvironment(int* argc, char*** argv, int level) {
    int provided = 0;
    // The message has a number, since MPI tells no text before it is initialised.
    if (const int code = MPI_Init_thread(argc, argv, level, &provided); code != MPI_SUCCESS) {
      throw std::runtime_error("MPI_Init_thread failed with code " + std::to_string(code));
    }
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
