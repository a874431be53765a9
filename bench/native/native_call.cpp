// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/native_call.h"

#include "bench/native/native_choice.h"

namespace gatherbench::bench {

void PersistentRequest::start() { mpi::require(MPI_Start(&handle_), "MPI_Start"); }

bool PersistentRequest::test() {
  int done = 0;
  mpi::require(MPI_Test(&handle_, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

void PersistentRequest::wait() { mpi::require(MPI_Wait(&handle_, MPI_STATUS_IGNORE), "MPI_Wait"); }

NativeCall::NativeCall(const collectives::Collective& collective, const algorithms::Choice& choice,
                       const mpi::Layout& layout, const std::byte* send, std::byte* receive,
                       MPI_Comm comm, int root, const mpi::Reduction& reduction)
    : counts_(layout.of(collective.goal(mpi::rank_of(comm), mpi::size_of(comm)))),
      reduction_(reduction),
      bytes_(layout.total()),
      send_(nullptr),
      receive_(nullptr),
      comm_(comm),
      rank_(mpi::rank_of(comm)),
      root_(root),
      settings_(find_native_settings(collective, choice)) {
  const LibraryCalls& calls = library_calls(collective);
  switch (std::get<algorithms::LibraryCall>(choice.algorithm->how)) {
    case algorithms::LibraryCall::nonblocking:
      begin_ = calls.nonblocking;
      break;
    case algorithms::LibraryCall::persistent:
      make_ = calls.persistent;
      break;
    case algorithms::LibraryCall::gather_bcast:
      call_ = calls.gather_bcast;
      // Only the root of a gather can say MPI_IN_PLACE; the others send from where their block
      // lies.
      sends_from_its_place_ = send == nullptr && rank_ != 0;
      if (sends_from_its_place_) {
        place_ = layout.element().in_memory(layout.displacement(rank_));
      }
      break;
    default:
      call_ = calls.native;
  }
  use_buffers(send, receive);
}

void NativeCall::use_buffers(const std::byte* send, std::byte* receive) {
  receive_ = receive;
  send_ = send == nullptr ? MPI_IN_PLACE : send;
  if (sends_from_its_place_) send_ = receive + place_;
  if (make_ != nullptr) request_ = PersistentRequest(make_(arguments()));
}

void NativeCall::run() {
  if (call_ != nullptr) {
    call_(arguments());
  } else {
    begin();
    finish();
  }
}

void NativeCall::begin() {
  if (begin_ != nullptr) {
    begun_ = begin_(arguments());
  } else {
    request_.start();
  }
}

bool NativeCall::test() {
  if (begin_ == nullptr) return request_.test();
  int done = 0;
  mpi::require(MPI_Test(&begun_, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

void NativeCall::finish() {
  if (begin_ != nullptr) {
    mpi::require(MPI_Wait(&begun_, MPI_STATUS_IGNORE), "MPI_Wait");
  } else {
    request_.wait();
  }
}

}  // namespace gatherbench::bench
