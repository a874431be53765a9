// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>

#include "bench/native/library_calls.h"
#include "mpi/counts.h"

namespace gatherbench::bench {

/// The library's gather to rank 0, then its broadcast of everything. The buffers and the
/// communicator must outlive it.
class GatherBcastCall {
 public:
  /// `send` is null if the own block lies in the receive buffer. All blocks have one size
  /// unless the collective allows others.
  GatherBcastCall(const collectives::Collective& collective, const mpi::Layout& layout,
                  const std::byte* send, std::byte* receive, MPI_Comm comm);
  /// Throws MpiError.
  void run();

 private:
  LibraryFunction* call_;
  mpi::IntCounts counts_;
  const void* send_;
  std::byte* receive_;
  MPI_Comm comm_;
  int rank_;
};

}  // namespace gatherbench::bench
