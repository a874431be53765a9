// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// One way from a rank to another one that shares memory with it. There is no MPI here, so that
// tests can run both ends as threads.
namespace gatherbench::mpi {

/// `count` runs of `each` bytes of a buffer, whose begins are `step` bytes apart.
struct Strided {
  std::byte* begin;
  std::size_t each;
  std::size_t count = 1;
  std::size_t step = 0;
};

/// Bytes of the sender that the receiver can read too, instead of a copy of them in a slot.
struct Reference {
  std::int64_t offset;  ///< in the memory of the sender that the receiver sees
  std::int64_t bytes;
};

/// The memory that both ends share: slots which the sender fills in turn and the receiver empties
/// in the same order. A slot holds bytes, as many as are left of the transfer or fit in, or a
/// Reference. Each counter has one writer, and a cache line of its own (two lines, since processors
/// fetch them in pairs).
struct Channel {
  static constexpr std::size_t lines = 128;
  /// Measured with 2 and 4 ranks on 2 cores: with 2 slots, ranks that share a core change places at
  /// each 8 KiB, and 64 KiB take 1.8 to 3 times as long.
  static constexpr std::size_t slots = 8;
  static constexpr std::size_t slot_bytes = 4096;
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "else it is no memory to share");

  /// Runs of half a channel or less are copied into slots: then the sender need not wait until they
  /// are read. By way of slots 8, 16 and 24 KiB took 0.46, 0.83 and 1.19 us with 2 ranks, and 4.5,
  /// 5.9 and 8.0 us with 4 ranks on 2 cores; by reference they took 0.44, 0.73 and 0.92 us, and
  /// 5.2, 7.1 and 9.0 us. With cores that exchange cache lines more slowly, the crossing is at
  /// 16 KiB.
  static constexpr std::size_t least_referred = slots / 2 * slot_bytes + 1;

  alignas(lines) std::atomic<std::uint64_t> put{0};    ///< slots that the sender has filled, ever
  std::array<bool, slots> refers{};                    ///< for each slot: it holds a Reference
  alignas(lines) std::atomic<std::uint64_t> taken{0};  ///< slots that the receiver has emptied
  alignas(lines) std::array<std::array<std::byte, slot_bytes>, slots> data;
};

/// Goes through bytes that lie in pieces, none of which is empty. The pieces outlive it.
class Cursor {
 public:
  explicit Cursor(std::span<const Strided> pieces);

  [[nodiscard]] std::size_t left() const { return left_; }
  /// Returns the next bytes that lie together; some have to be left.
  [[nodiscard]] std::span<const std::byte> run() const;
  /// The two copy the next `bytes` bytes, at most left(): to `to`, or from `from`.
  void read(std::byte* to, std::size_t bytes);
  void write(const std::byte* from, std::size_t bytes);
  /// Leaves out the next `bytes` bytes.
  void skip(std::size_t bytes);

 private:
  template <class Copy>
  void go(std::size_t bytes, Copy copy);

  std::span<const Strided> pieces_;
  std::size_t run_ = 0;     // of the first piece
  std::size_t offset_ = 0;  // in that run
  std::size_t left_ = 0;
};

/// The sender's end. Its count, as the channel's, goes on from transfer to transfer, so that none
/// has to wait for the one before.
class PutEnd {
 public:
  /// `readable`: memory of the sender that the receiver sees too; none: it is never referred to.
  explicit PutEnd(Channel& channel, std::span<const std::byte> readable = {})
      : channel_(&channel), readable_(readable) {}
  /// Fills slots as long as there is an empty one and the transfer has bytes left; returns true if
  /// there was an empty one.
  bool advance(Cursor& transfer);
  /// True if the transfer's bytes are the caller's again: all are put, and those that slots refer
  /// to have been read.
  [[nodiscard]] bool has_ended(const Cursor& transfer);

 private:
  [[nodiscard]] bool has_empty_slot();
  /// Makes the slot refer to the run, if the receiver sees it and it is long enough; else returns
  /// false.
  bool refer_to(std::span<const std::byte> run);

  Channel* channel_;
  std::span<const std::byte> readable_;
  std::uint64_t put_ = 0;
  std::uint64_t taken_ = 0;     // as last seen
  std::uint64_t referred_ = 0;  // slots up to the last one that held a reference
};

/// The receiver's end.
class TakeEnd {
 public:
  /// `readable` is where the receiver sees the memory of the sender that slots may refer to.
  explicit TakeEnd(Channel& channel, const std::byte* readable = nullptr)
      : channel_(&channel), readable_(readable) {}
  /// Empties slots as long as one is full and the transfer has bytes left; returns true if one was
  /// full.
  bool advance(Cursor& transfer);
  /// True if all bytes of the transfer are there.
  [[nodiscard]] static bool has_ended(const Cursor& transfer) { return transfer.left() == 0; }

 private:
  void take(std::size_t slot, Cursor& transfer) const;

  Channel* channel_;
  const std::byte* readable_;
  std::uint64_t put_ = 0;  // as last seen
  std::uint64_t taken_ = 0;
};

/// The transfers of a step that go through channels, while they are on their way. All of them go on
/// at once: one that waits for a slot holds up none of the others.
class Copies {
 public:
  /// The two add a transfer. A channel has one at a time; the pieces outlive it.
  void put(PutEnd& to, std::span<const Strided> pieces) { puts_.push_back({&to, Cursor(pieces)}); }
  void take(TakeEnd& from, std::span<const Strided> pieces) {
    takes_.push_back({&from, Cursor(pieces)});
  }
  /// Goes on as far as that goes without waiting; returns true if any bytes have moved.
  bool advance();
  /// The number of transfers that have not ended.
  [[nodiscard]] std::size_t left() const { return puts_.size() + takes_.size(); }
  /// True if all transfers have ended. What was put may still be in the channels, but the buffers
  /// that it came from are the caller's again.
  [[nodiscard]] bool done() const { return left() == 0; }

 private:
  template <class End>
  struct OnItsWay {
    End* end;
    Cursor cursor;
  };
  template <class End>
  static bool advance(std::vector<OnItsWay<End>>& transfers);

  std::vector<OnItsWay<PutEnd>> puts_;
  std::vector<OnItsWay<TakeEnd>> takes_;
};

}  // namespace gatherbench::mpi
