// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "algorithms/choice.h"
#include "bench/native/library_calls.h"
#include "mpi/control_variables.h"
#include "mpi/counts.h"

namespace gatherbench::bench {

/// Persistent requests, each of one pair of buffers. Must be gone before MPI_Finalize.
class PersistentRequests {
 public:
  PersistentRequests() = default;
  PersistentRequests(PersistentRequests&& other) noexcept { all_.swap(other.all_); }
  PersistentRequests& operator=(PersistentRequests&& other) noexcept {
    all_.swap(other.all_);
    return *this;
  }
  ~PersistentRequests();
  /// Null if there is none of these buffers.
  [[nodiscard]] MPI_Request* find(const void* send, const std::byte* receive);
  MPI_Request* add(const void* send, const std::byte* receive, MPI_Request request);

 private:
  struct OfBuffers {
    const void* send;
    const std::byte* receive;
    MPI_Request request;
  };
  std::deque<OfBuffers> all_;  // what points into it stays right
};

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
  /// The next calls are of these buffers; `send` is null if it was. Collective if the call is
  /// persistent and has not been of them before.
  void use_buffers(const std::byte* send, std::byte* receive);

 private:
  [[nodiscard]] CallArguments arguments() const {
    return {send_, receive_, counts_, reduction_, bytes_, rank_, root_, comm_};
  }

  LibraryFunction* call_ = nullptr;
  RequestFunction* begin_ = nullptr;  // not null: instead of the call
  RequestFunction* make_ = nullptr;   // not null: once for each pair of buffers
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
  PersistentRequests requests_;
  MPI_Request* request_ = nullptr;  // of the buffers
};

}  // namespace gatherbench::bench
