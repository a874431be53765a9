// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/choice.h"
#include "bench/native/library_calls.h"
#include "mpi/control_variables.h"
#include "mpi/counts.h"

namespace gatherbench::bench {

/// A call into the library with its arguments, and what the library has to be told before.
/// The buffers and the communicator must outlive it.
class NativeCall {
 public:
  /// `choice` is of a library call, `layout` of all blocks. `send` is null for MPI_IN_PLACE. All
  /// blocks have one size unless the collective allows others.
  NativeCall(const collectives::Collective& collective, const algorithms::Choice& choice,
             const mpi::Layout& layout, const std::byte* send, std::byte* receive, MPI_Comm comm,
             int root = 0, const mpi::Reduction& reduction = {});
  /// Tells the library, for as long as the result lives; it must not outlive the call.
  [[nodiscard]] mpi::ScopedSettings arm() const { return mpi::ScopedSettings(settings_); }
  /// Throws MpiError.
  void run();
  /// The next calls are of these buffers; `send` is null if it was.
  void use_buffers(const std::byte* send, std::byte* receive);

 private:
  LibraryFunction* call_;
  mpi::IntCounts counts_;
  mpi::Reduction reduction_;
  std::int64_t bytes_;  // of all blocks
  const void* send_;
  std::byte* receive_;
  MPI_Comm comm_;
  int rank_;
  int root_;
  bool sends_from_its_place_ = false;
  std::int64_t place_ = 0;  // of the own block in the receive buffer
  std::vector<mpi::Setting> settings_;
};

}  // namespace gatherbench::bench
