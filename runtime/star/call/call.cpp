// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/call/call.h"

#include <cstring>
#include <numeric>

#include "runtime/star/call/datatypes.h"

namespace gatherbench::star {
namespace {

std::byte* address(void* buffer, std::int64_t offset) {
  return static_cast<std::byte*>(buffer) + offset;
}

}  // namespace

std::byte* packed_place(const Call& call, std::span<const std::int64_t> block_bytes,
                        const Datatypes& types) {
  if (!types.is_contiguous(call.receive_type)) return nullptr;
  const std::int64_t extent = extent_of(call.receive_type);
  if (!call.is_v()) return static_cast<std::byte*>(call.receive);
  std::int64_t offset = 0;  // of the block, if the first one that is not empty has 0
  std::int64_t start = 0;
  bool is_first = true;
  for (std::size_t i = 0; i < block_bytes.size(); ++i) {
    if (block_bytes[i] == 0) continue;
    const std::int64_t place = call.place(static_cast<int>(i)) * extent;
    if (is_first) start = place;
    is_first = false;
    if (place != start + offset) return nullptr;
    offset += block_bytes[i];
  }
  return address(call.receive, start);
}

PackedBuffers::PackedBuffers(const Call& call, std::span<const std::int64_t> block_bytes,
                             const Datatypes& types, int rank, MPI_Comm comm)
    : call_(call),
      block_bytes_(block_bytes),
      types_(types),
      rank_(rank),
      comm_(comm),
      extent_(extent_of(call.receive_type)) {
  if (call.collective->gathers()) {
    receive_ = packed_place(call, block_bytes, types);
    if (receive_ == nullptr) stage_receive();
    place_own();
    return;
  }
  receive_ = static_cast<std::byte*>(call.receive);
  if (!types.is_contiguous(call.receive_type)) stage_receive();
  take_send();
}

void PackedBuffers::stage_receive() {
  staged_ = true;
  staging_ = mpi::Buffer(std::accumulate(block_bytes_.begin(), block_bytes_.end(), std::int64_t{}));
  receive_ = staging_.data();
}

/// Reductions have named types without gaps. In a broadcast the root has what it sends where the
/// others receive.
void PackedBuffers::take_send() {
  if (call_.collective->one_buffer) {
    if (staged_ && rank_ == call_.root) {
      pack(call_.receive, call_.receives[0], call_.receive_type, receive_, rank_, comm_);
    }
    return;
  }
  if (call_.is_in_place()) return;
  if (types_.is_contiguous(call_.send_type)) {
    send_ = static_cast<const std::byte*>(call_.send);
    return;
  }
  const auto blocks = static_cast<std::int64_t>(block_bytes_.size());
  sent_ = mpi::Buffer(blocks * block_bytes_.front());
  pack(call_.send, blocks * call_.sends, call_.send_type, sent_.data(), rank_, comm_);
  send_ = sent_.data();
}

void PackedBuffers::place_own() const {
  const auto own = static_cast<std::size_t>(rank_);
  if (block_bytes_[own] == 0) return;
  std::byte* const place =
      receive_ + std::accumulate(block_bytes_.begin(),
                                 block_bytes_.begin() + static_cast<std::ptrdiff_t>(own),
                                 std::int64_t{});
  if (call_.is_in_place()) {
    if (!staged_) return;
    pack(address(call_.receive, call_.place(rank_) * extent_), call_.receives[rank_],
         call_.receive_type, place, rank_, comm_);
  } else if (types_.is_contiguous(call_.send_type)) {
    // Some programs send from where they receive, against the rules.
    std::memmove(place, call_.send, static_cast<std::size_t>(block_bytes_[own]));
  } else {
    pack(call_.send, call_.sends, call_.send_type, place, rank_, comm_);
  }
}

void PackedBuffers::finish() const {
  if (!staged_) return;
  if (call_.collective->gathers()) {
    finish_gather();
    return;
  }
  if (call_.collective->one_buffer && rank_ == call_.root) return;
  const auto blocks = static_cast<std::int64_t>(block_bytes_.size());
  unpack(receive_, call_.receive, blocks * call_.receives[0], call_.receive_type, rank_, comm_);
}

void PackedBuffers::finish_gather() const {
  const bool plain = types_.is_contiguous(call_.receive_type);
  const std::byte* from = receive_;
  for (std::size_t i = 0; i < block_bytes_.size(); ++i) {
    const int block = static_cast<int>(i);
    const bool is_there = block_bytes_[i] == 0 || (call_.is_in_place() && block == rank_);
    if (!is_there && plain) {
      std::memcpy(address(call_.receive, call_.place(block) * extent_), from,
                  static_cast<std::size_t>(block_bytes_[i]));
    } else if (!is_there) {
      unpack(from, address(call_.receive, call_.place(block) * extent_), call_.receives[block],
             call_.receive_type, rank_, comm_);
    }
    from += block_bytes_[i];
  }
}

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
bool is_no_place_to_receive(const Call& call, int ranks, Alone& alone) {
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
bool is_no_place_to_send(const Call& call, int rank, Alone& alone) {
  const std::int64_t count = call.receives[rank];
  if (call.send == MPI_IN_PLACE || count == 0) return false;
  std::byte* const place =
      static_cast<std::byte*>(call.receive) + call.place(rank) * extent_of(call.receive_type);
  if (call.send != MPI_BOTTOM && call.send != place) return false;
  return is_refused(call.send, call.sends, call.send_type, place, count, call.receive_type, alone);
}

/// Returns true if MPI does not allow the buffers: one of a named type is not at address 0, and a
/// rank does not send from where it receives.
bool are_wrong(const Call& call, int rank) {
  const collectives::Collective& collective = *call.collective;
  const bool receives = !collective.has_root || collective.one_buffer || rank == call.root;
  if (receives && call.receive == MPI_IN_PLACE) return true;
  if (receives && call.receive == MPI_BOTTOM && is_named(call.receive_type)) return true;
  if (call.is_in_place()) return collective.has_root && !collective.one_buffer && !receives;
  if (call.send == MPI_BOTTOM && is_named(call.send_type)) return true;
  return receives && call.send == call.receive && call.send != MPI_BOTTOM;
}

}  // namespace

bool are_buffers_refused(const Call& call, int rank, int ranks, Alone& alone) {
  if (!call.collective->gathers()) return are_wrong(call, rank);
  return call.receive == MPI_IN_PLACE || is_no_place_to_receive(call, ranks, alone) ||
         is_no_place_to_send(call, rank, alone);
}

}  // namespace gatherbench::star
