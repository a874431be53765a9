// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "bench/collective.h"
#include "mpi/control_variables.h"
#include "mpi/counts.h"

namespace gatherbench::bench {

/// MPI_Allgather or MPI_Allgatherv with its arguments, and what the library has to be told before.
/// The buffers, the communicator and the layout must outlive it.
class NativeCall {
 public:
  /// `send` is null for MPI_IN_PLACE. All blocks have one size if the collective is allgather.
  NativeCall(Collective collective, const mpi::Layout& layout, const std::byte* send,
             std::byte* receive, MPI_Comm comm, std::vector<mpi::Setting> settings);
  /// Tells the library, for as long as the result lives; it must not outlive the call.
  [[nodiscard]] mpi::HeldSettings arm() const { return mpi::HeldSettings(settings_); }
  /// Throws MpiError.
  void run();

 private:
  Collective collective_;
  mpi::IntCounts counts_;
  const void* send_;
  std::byte* receive_;
  MPI_Comm comm_;
  int own_count_ = 0;
  std::vector<mpi::Setting> settings_;
};

}  // namespace gatherbench::bench
