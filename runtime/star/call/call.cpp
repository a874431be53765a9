// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/call/call.h"

#include <cstring>
#include <numeric>

#include "runtime/device/loaded_drivers.h"
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

namespace {

/// Returns whether a buffer is in a device: the address of the first byte of its first element
/// tells. The type may have the address, and the buffer be MPI_BOTTOM.
bool begins_in_device(const void* buffer, std::int64_t offset, MPI_Datatype type) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  if (!is_named(type)) {
    mpi::require(PMPI_Type_get_true_extent(type, &lower, &extent), "MPI_Type_get_true_extent");
  }
  const auto first = reinterpret_cast<std::intptr_t>(buffer) + offset + lower;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): MPI_BOTTOM is null, from which no pointer may count
  return device::is_of_device(reinterpret_cast<const void*>(first));
}

}  // namespace

InDevice find_in_device(const Call& call, int rank, int ranks) {
  const collectives::Collective& collective = *call.collective;
  InDevice found;
  if (!device::is_driver_loaded()) return found;
  if (!call.is_in_place() && call.sends > 0) {
    found.send = begins_in_device(call.send, 0, call.send_type);
  }
  if (collective.has_root && !collective.one_buffer && rank != call.root) return found;
  int first = 0;  // of the blocks that have anything
  while (first < ranks && call.receives[first] == 0) ++first;
  if (first < ranks) {
    const std::int64_t offset = call.is_v() ? call.place(first) * extent_of(call.receive_type) : 0;
    found.receive = begins_in_device(call.receive, offset, call.receive_type);
  }
  return found;
}

PackedBuffers::PackedBuffers(const Call& call, const InDevice& in_device,
                             std::span<const std::int64_t> block_bytes, const Datatypes& types,
                             int rank, MPI_Comm comm)
    : call_(call),
      in_device_(in_device),
      block_bytes_(block_bytes),
      types_(types),
      rank_(rank),
      comm_(comm),
      extent_(extent_of(call.receive_type)) {
  if (call.collective->gathers()) {
    if (!in_device.receive) receive_ = packed_place(call, block_bytes, types);
    if (receive_ == nullptr) stage_receive();
    place_own();
    return;
  }
  receive_ = static_cast<std::byte*>(call.receive);
  if (in_device.receive || !types.is_contiguous(call.receive_type)) stage_receive();
  take_send();
}

void PackedBuffers::stage_receive() {
  staged_ = true;
  staging_ = mpi::Buffer(std::accumulate(block_bytes_.begin(), block_bytes_.end(), std::int64_t{}));
  receive_ = staging_.data();
}

void PackedBuffers::take(const void* from, std::int64_t count, MPI_Datatype type, bool in_device,
                         std::byte* to) const {
  if (in_device && types_.is_contiguous(type)) {
    device::copy_of_device(to, static_cast<const std::byte*>(from),
                           static_cast<std::size_t>(count * bytes_of(type)));
  } else {
    pack(from, count, type, to, rank_, comm_);
  }
}

void PackedBuffers::give(const std::byte* from, void* to, std::int64_t count) const {
  if (in_device_.receive && types_.is_contiguous(call_.receive_type)) {
    device::copy_of_device(static_cast<std::byte*>(to), from,
                           static_cast<std::size_t>(count * bytes_of(call_.receive_type)));
  } else {
    unpack(from, to, count, call_.receive_type, rank_, comm_);
  }
}

/// Copies what the rank sends to where our algorithms take it from. A rank that is in place, and
/// the root of a broadcast, have it where they receive.
void PackedBuffers::take_send() {
  if (call_.is_in_place()) {
    const bool sends = !call_.collective->one_buffer || rank_ == call_.root;
    if (staged_ && sends) {
      take(call_.receive, call_.receives[0], call_.receive_type, in_device_.receive, receive_);
    }
    return;
  }
  if (!in_device_.send && types_.is_contiguous(call_.send_type)) {
    send_ = static_cast<const std::byte*>(call_.send);
    return;
  }
  const auto blocks = static_cast<std::int64_t>(block_bytes_.size());
  sent_ = mpi::Buffer(blocks * block_bytes_.front());
  take(call_.send, blocks * call_.sends, call_.send_type, in_device_.send, sent_.data());
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
    take(address(call_.receive, call_.place(rank_) * extent_), call_.receives[rank_],
         call_.receive_type, in_device_.receive, place);
  } else if (!in_device_.send && types_.is_contiguous(call_.send_type)) {
    // The two places may overlap: some programs send from where they receive, against the rules.
    std::memmove(place, call_.send, static_cast<std::size_t>(block_bytes_[own]));
  } else {
    take(call_.send, call_.sends, call_.send_type, in_device_.send, place);
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
  give(receive_, call_.receive, blocks * call_.receives[0]);
}

void PackedBuffers::finish_gather() const {
  const bool plain = !in_device_.receive && types_.is_contiguous(call_.receive_type);
  const std::byte* from = receive_;
  for (std::size_t i = 0; i < block_bytes_.size(); ++i) {
    const int block = static_cast<int>(i);
    const bool is_there = block_bytes_[i] == 0 || (call_.is_in_place() && block == rank_);
    if (!is_there && plain) {
      std::memcpy(address(call_.receive, call_.place(block) * extent_), from,
                  static_cast<std::size_t>(block_bytes_[i]));
    } else if (!is_there) {
      give(from, address(call_.receive, call_.place(block) * extent_), call_.receives[block]);
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

/// Returns true if the library refuses the receive buffer. It is asked only where that is
/// MPI_BOTTOM or no buffer: which of them only the library knows. It is asked in place, so nothing
/// moves.
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

/// Returns true if the library refuses the send buffer. It is asked only where that is MPI_BOTTOM
/// or no buffer, or is the place of the block to receive, which some libraries allow. The own block
/// goes to its place then, as it has to in any case.
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
