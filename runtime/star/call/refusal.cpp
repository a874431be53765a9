// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/call/refusal.h"

#include "runtime/star/call/datatypes.h"

namespace gatherbench::star {
namespace {

bool is_refused(const void* send, std::int64_t sends, MPI_Datatype send_type, void* receive,
                std::int64_t receives, MPI_Datatype receive_type, Alone& alone) {
  const std::scoped_lock lock(alone.in_use);
#if MPI_VERSION >= 4
  return PMPI_Allgather_c(send, sends, send_type, receive, receives, receive_type,
                          alone.comm.get()) != MPI_SUCCESS;
#else
  return PMPI_Allgather(send, static_cast<int>(sends), send_type, receive,
                        static_cast<int>(receives), receive_type, alone.comm.get()) != MPI_SUCCESS;
#endif
}

/// MPI_BOTTOM, or no buffer: which of them only the library knows. Nothing moves in place.
bool is_no_place_to_receive(const GatherCall& call, int ranks, Alone& alone) {
  if (call.receive != MPI_BOTTOM) return false;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::int64_t count = call.receives[rank];
    if (count == 0) continue;
    return is_refused(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, call.receive, count, call.receive_type,
                      alone);
  }
  return false;
}

/// The same of a buffer to send from, or one that is the place of the block to receive, which some
/// libraries allow. The own block goes to its place, as it has to in any case.
bool is_no_place_to_send(const GatherCall& call, int rank, Alone& alone) {
  const std::int64_t count = call.receives[rank];
  if (call.send == MPI_IN_PLACE || count == 0) return false;
  std::byte* const place =
      static_cast<std::byte*>(call.receive) + call.place(rank) * extent_of(call.receive_type);
  if (call.send != MPI_BOTTOM && call.send != place) return false;
  return is_refused(call.send, call.sends, call.send_type, place, count, call.receive_type, alone);
}

}  // namespace

bool are_buffers_refused(const GatherCall& call, int rank, int ranks, Alone& alone) {
  return call.receive == MPI_IN_PLACE || is_no_place_to_receive(call, ranks, alone) ||
         is_no_place_to_send(call, rank, alone);
}

}  // namespace gatherbench::star
