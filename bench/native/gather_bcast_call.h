// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>

#include "bench/collective.h"
#include "mpi/counts.h"

namespace gatherbench::bench {

/// The library's MPI_Gather or MPI_Gatherv to rank 0, then its MPI_Bcast of everything. The buffers
/// and the communicator must outlive it.
class GatherBcastCall {
 public:
  /// `send` is null if the own block lies in the receive buffer. All blocks have one size if the
  /// collective is allgather.
  GatherBcastCall(Collective collective, const mpi::Layout& layout, const std::byte* send,
                  std::byte* receive, MPI_Comm comm);
  /// Throws MpiError.
  void run();

 private:
  Collective collective_;
  mpi::IntCounts counts_;
  const void* send_;
  std::byte* receive_;
  MPI_Comm comm_;
  int own_count_ = 0;
};

}  // namespace gatherbench::bench
