// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/choice/choice.h"
#include "bench/native/library_calls.h"
#include "runtime/mpi/control_variables.h"
#include "runtime/mpi/plans/counts.h"

namespace gatherbench::bench {

/// Owns a persistent request. Must be gone before MPI_Finalize.
class PersistentRequest {
 public:
  PersistentRequest() = default;
  explicit PersistentRequest(MPI_Request handle) : handle_(handle) {}
  PersistentRequest(PersistentRequest&& other) noexcept
      : handle_(std::exchange(other.handle_, MPI_REQUEST_NULL)) {}
  PersistentRequest& operator=(PersistentRequest&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~PersistentRequest() {
    if (handle_ != MPI_REQUEST_NULL) MPI_Request_free(&handle_);
  }
  /// Starts the request for one call. All three functions throw MpiError.
  void start();
  bool test();
  void wait();

 private:
  MPI_Request handle_ = MPI_REQUEST_NULL;
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
  /// Tells the library what it has to be told, for as long as the result lives, which must not
  /// outlive this object.
  [[nodiscard]] mpi::ScopedSettings arm() const { return mpi::ScopedSettings(settings_); }
  /// Makes the call and waits for its end. Throws MpiError.
  void run();
  /// Returns whether the call is non-blocking or persistent, so that it can be split into begin and
  /// finish as a mpi::Plan can.
  [[nodiscard]] bool can_begin() const { return call_ == nullptr; }
  void begin();
  bool test();
  void finish();
  /// Makes the next calls use these buffers; `send` is null if it was. Collective if the call is
  /// persistent: its request is made anew each time, since ranks may have different numbers of
  /// buffers.
  void use_buffers(const std::byte* send, std::byte* receive);

 private:
  [[nodiscard]] CallArguments arguments() const {
    return {send_, receive_, counts_, reduction_, bytes_, rank_, root_, comm_};
  }

  LibraryFunction* call_ = nullptr;
  RequestFunction* begin_ = nullptr;  // not null: instead of the call
  RequestFunction* make_ = nullptr;   // not null: request_ instead of the call
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
  PersistentRequest request_;  // of the buffers
  MPI_Request begun_ = MPI_REQUEST_NULL;
};

}  // namespace gatherbench::bench
