// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "algorithms/collectives/collective.h"
#include "runtime/mpi/buffers.h"
#include "runtime/mpi/handles.h"
#include "runtime/star/call/datatypes.h"

namespace gatherbench::star {

/// A number for each rank, of the type in which the program gave them; or one for all.
class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(std::int64_t of_all) : of_all_(of_all) {}
  template <class Integer>
  explicit Numbers(const Integer* numbers)
      : numbers_(numbers),
        read_([](const void* from, int rank) {
          return static_cast<std::int64_t>(static_cast<const Integer*>(from)[rank]);
        }),
        equal_([](const void* from, std::span<const std::int64_t> others) {
          const auto* const own = static_cast<const Integer*>(from);
          return std::equal(others.begin(), others.end(), own);
        }) {}

  [[nodiscard]] std::int64_t operator[](int rank) const {
    return read_ == nullptr ? of_all_ : read_(numbers_, rank);
  }
  [[nodiscard]] bool are_one() const { return read_ == nullptr; }
  /// Returns whether these are the numbers of the ranks, if there is one for each.
  [[nodiscard]] bool are(std::span<const std::int64_t> others) const {
    return equal_(numbers_, others);
  }

 private:
  std::int64_t of_all_ = 0;
  const void* numbers_ = nullptr;
  std::int64_t (*read_)(const void* from, int rank) = nullptr;
  bool (*equal_)(const void* from, std::span<const std::int64_t> others) = nullptr;
};

/// The arguments of a collective call. A call with one buffer, as MPI_Bcast, has it as `receive`.
struct Call {
  const collectives::Collective* collective;
  const void* send;  ///< or MPI_IN_PLACE, also of a call with one buffer
  std::int64_t sends;
  MPI_Datatype send_type;
  void* receive;
  Numbers receives;
  Numbers places;  ///< of MPI_Allgatherv, in extents of the type
  MPI_Datatype receive_type;
  MPI_Comm comm;
  int root = 0;
  MPI_Op op = MPI_OP_NULL;  ///< of a reduction

  [[nodiscard]] bool is_v() const { return !receives.are_one(); }
  [[nodiscard]] bool is_in_place() const { return send == MPI_IN_PLACE; }
  /// Returns the begin of a rank's block in the receive buffer, in extents of the type.
  [[nodiscard]] std::int64_t place(int rank) const {
    return is_v() ? places[rank] : rank * receives[rank];
  }
};

/// The arguments of a call that say which bytes it moves, if its types are named. Of a call with a
/// count for each rank, only the first count is among these.
class Shape {
 public:
  Shape() = default;  ///< It is no call's.
  explicit Shape(const Call& call)
      : collective_(call.collective),
        in_place_(call.is_in_place()),
        sends_(call.sends),
        send_type_(call.send_type),
        receives_(call.receives[0]),
        receive_type_(call.receive_type),
        root_(call.root),
        op_(call.op) {}

  /// Compares no more than the call's kind uses: a short call hardly takes longer than this.
  [[nodiscard]] bool is_of(const Call& call) const {
    return collective_ == call.collective && receives_ == call.receives[0] &&
           receive_type_ == call.receive_type && root_ == call.root &&
           in_place_ == call.is_in_place() && (call.is_in_place() || sends_as(call)) &&
           (!call.collective->combines || op_ == call.op);
  }

 private:
  [[nodiscard]] bool sends_as(const Call& call) const {
    return sends_ == call.sends && send_type_ == call.send_type;
  }

  const collectives::Collective* collective_ = nullptr;
  bool in_place_ = false;
  std::int64_t sends_ = 0;
  MPI_Datatype send_type_{};
  std::int64_t receives_ = 0;
  MPI_Datatype receive_type_{};
  int root_ = 0;
  MPI_Op op_{};
};

/// Which buffers of a call lie in memory of a device, which no processor may touch; never one that
/// the rank does not use. Each rank finds this of its own: MPI lets them differ.
struct InDevice {
  bool send = false;
  bool receive = false;

  [[nodiscard]] bool any() const { return send || receive; }
};

/// Returns which buffers of the call lie in memory of a device. `rank` is this rank, of `ranks`.
/// Throws mpi::MpiError.
[[nodiscard]] InDevice find_in_device(const Call& call, int rank, int ranks);

/// The buffers of a call as bytes: blocks in their order, without gaps. The program's may be laid
/// out differently on each rank, but both ends of a message have to see the same bytes. Where one
/// of the program's own is so, it is used. Otherwise a buffer of ours takes its place: what is sent
/// is copied there, and `finish` copies what came in to where the program wants it. So it is with
/// one in a device: its driver copies, and where elements have gaps, MPI_Pack and MPI_Unpack of the
/// library, to which the program gives such addresses.
class PackedBuffers {
 public:
  /// `block_bytes` are those of a rank's result, the same on all ranks. In a call that gathers, the
  /// own block is in its place when this returns. Throws std::bad_alloc, mpi::MpiError,
  /// DeviceError.
  PackedBuffers(const Call& call, const InDevice& in_device,
                std::span<const std::int64_t> block_bytes, const Datatypes& types, int rank,
                MPI_Comm comm);

  /// Returns the bytes that the rank has before; null if they are in the receive buffer.
  [[nodiscard]] const std::byte* send() const { return send_; }
  /// Returns the begin of the blocks to receive; it may be null if all of them are empty.
  [[nodiscard]] std::byte* receive() const { return receive_; }
  void finish() const;

 private:
  void place_own() const;
  void finish_gather() const;
  void stage_receive();
  void take_send();
  /// Copies elements of a buffer of the program's to bytes that follow each other; give() copies
  /// such bytes back.
  void take(const void* from, std::int64_t count, MPI_Datatype type, bool in_device,
            std::byte* to) const;
  void give(const std::byte* from, void* to, std::int64_t count) const;

  const Call& call_;
  InDevice in_device_;
  std::span<const std::int64_t> block_bytes_;
  const Datatypes& types_;
  int rank_;
  MPI_Comm comm_;
  std::int64_t extent_;
  mpi::Buffer sent_;     // none where the program's buffer serves
  mpi::Buffer staging_;  // none where the program's buffer serves
  const std::byte* send_ = nullptr;
  std::byte* receive_ = nullptr;
  bool staged_ = false;
};

/// Returns the begin of the blocks of a call that gathers if they lie in rank order without gaps;
/// null if they do not.
[[nodiscard]] std::byte* packed_place(const Call& call, std::span<const std::int64_t> block_bytes,
                                      const Datatypes& types);

/// A communicator of this rank only, whose errors are returned; of one call at a time.
struct Alone {
  mpi::Communicator comm;
  std::mutex in_use;
};

/// Returns true if the MPI library refuses the call's buffers. The library is asked, by an
/// all-gather of `alone`, only where it may refuse: libraries differ in what they look at. `rank`
/// is this rank, of `ranks`.
[[nodiscard]] bool are_buffers_refused(const Call& call, int rank, int ranks, Alone& alone);

}  // namespace gatherbench::star
