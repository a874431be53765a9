// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/native_call.h"

#include <utility>

namespace gatherbench::bench {

NativeCall::NativeCall(const collectives::Collective& collective, const mpi::Layout& layout,
                       const std::byte* send, std::byte* receive, MPI_Comm comm,
                       std::vector<mpi::Setting> settings)
    : call_(library_calls(collective).native),
      counts_(layout),
      send_(send == nullptr ? MPI_IN_PLACE : send),
      receive_(receive),
      comm_(comm),
      rank_(mpi::rank_of(comm)),
      settings_(std::move(settings)) {}

void NativeCall::run() { call_({send_, receive_, counts_, rank_, comm_}); }

}  // namespace gatherbench::bench
