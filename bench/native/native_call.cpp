// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/native_call.h"

#include "bench/native/selection.h"

namespace gatherbench::bench {

NativeCall::NativeCall(const collectives::Collective& collective, const algorithms::Choice& choice,
                       const mpi::Layout& layout, const std::byte* send, std::byte* receive,
                       MPI_Comm comm, int root, const mpi::Reduction& reduction)
    : call_(library_calls(collective).native),
      counts_(layout.of(collective.goal(mpi::rank_of(comm), mpi::size_of(comm)))),
      reduction_(reduction),
      bytes_(layout.total()),
      send_(nullptr),
      receive_(nullptr),
      comm_(comm),
      rank_(mpi::rank_of(comm)),
      root_(root),
      settings_(find_native_settings(collective, choice)) {
  if (choice.algorithm->library_call == algorithms::LibraryCall::gather_bcast) {
    call_ = library_calls(collective).gather_bcast;
    // Only the root of a gather can say MPI_IN_PLACE; the others send from where their block lies.
    sends_from_its_place_ = send == nullptr && rank_ != 0;
    if (sends_from_its_place_) place_ = layout.offset(rank_);
  }
  use_buffers(send, receive);
}

void NativeCall::use_buffers(const std::byte* send, std::byte* receive) {
  receive_ = receive;
  send_ = send == nullptr ? MPI_IN_PLACE : send;
  if (sends_from_its_place_) send_ = receive + place_;
}

void NativeCall::run() {
  call_({send_, receive_, counts_, reduction_, bytes_, rank_, root_, comm_});
}

}  // namespace gatherbench::bench
