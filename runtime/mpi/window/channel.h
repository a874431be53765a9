// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Ways from a rank to others that share memory with it. There is no MPI here, so that tests can run
// all ends as threads.
namespace gatherbench::mpi {

/// `count` runs of `each` bytes of a buffer, whose begins are `step` bytes apart.
struct Strided {
  std::byte* begin;
  std::size_t each;
  std::size_t count = 1;
  std::size_t step = 0;

  bool operator==(const Strided&) const = default;
};

/// Bytes of the sender that the receiver can read too, instead of a copy of them in a slot.
struct Reference {
  std::int64_t offset;  ///< in the sender's buffers or stage, as the receiver sees them
  std::int64_t bytes;
};

/// Says what a slot holds.
enum class Held : std::uint8_t {
  bytes,
  lent,    ///< a Reference to the sender's buffers
  staged,  ///< a Reference to the sender's stage
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

  /// Shorter runs are copied, into slots or the stage: then the sender need not wait until they are
  /// read, which costs as much as the copy up to about this size.
  static constexpr std::size_t least_referred = slots / 2 * slot_bytes + 1;

  alignas(lines) std::atomic<std::uint64_t> put{0};    ///< slots that the sender has filled, ever
  std::array<Held, slots> held{};                      ///< what each slot holds
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
  /// The three copy the next `bytes` bytes, at most left(): read() to `to`, read_for_another() to
  /// `to` for another processor (copy_for_another), and write() from `from`.
  void read(std::byte* to, std::size_t bytes);
  void read_for_another(std::byte* to, std::size_t bytes);
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
  /// Makes an end of the channel. The receiver sees `readable`, memory of the sender, too, so that
  /// slots can refer to it; none do if it is empty.
  explicit PutEnd(Channel& channel, std::span<const std::byte> readable = {})
      : channel_(&channel), readable_(readable) {}
  /// Fills slots as long as there is an empty one and the transfer has bytes left; returns true if
  /// there was an empty one.
  bool advance(Cursor& transfer);
  /// Lets a slot, of which one has to be empty, refer to bytes of the sender's stage.
  void put_staged(std::int64_t offset, std::size_t bytes);
  [[nodiscard]] bool has_empty_slot();
  /// Returns true if the receiver may read the run where it lies: it sees that memory, and the run
  /// is long enough.
  [[nodiscard]] bool can_lend(std::span<const std::byte> run) const;
  /// Returns the number of slots that have been filled, ever.
  [[nodiscard]] std::uint64_t filled() const { return put_; }
  /// Returns true if the receiver has emptied the first `filled` slots, over all transfers.
  [[nodiscard]] bool has_emptied(std::uint64_t filled);
  /// Returns true if the transfer's bytes are the caller's again: all are put, and those that slots
  /// refer to have been read.
  [[nodiscard]] bool has_ended(const Cursor& transfer);

 private:
  /// The two fill the next slot: fill() says what it holds, refer() puts a Reference there first.
  void fill(Held held);
  void refer(std::int64_t offset, std::size_t bytes, Held where);

  Channel* channel_;
  std::span<const std::byte> readable_;
  std::uint64_t put_ = 0;
  std::uint64_t taken_ = 0;  // as last seen
  std::uint64_t lent_ = 0;   // slots up to the last one that referred to the sender's buffers
};

/// A stage is memory of a sender that its receivers read, so that what goes to several of them is
/// copied in once. It has two halves, which are filled in turn, from the begin to the end.
class Stage {
 public:
  /// Shorter transfers to one receiver, and to several, are faster by way of slots: with 2 ranks
  /// whose cores share a cache 4 KiB took 0.96 us by slots and 1.4 us by the stage, and 8 KiB
  /// took 2.5 us by either.
  static constexpr std::size_t least_for_one = 8192;
  static constexpr std::size_t least_for_several = 2048;
  static constexpr std::size_t half_bytes = 131072;
  static constexpr std::size_t bytes = 2 * half_bytes;

  explicit Stage(std::span<std::byte> memory) : memory_(memory) {}
  /// Stages the next bytes of the transfer for all receivers, at most a half. Returns false if that
  /// has to wait: some receiver has no empty slot, or this half has too little room and some
  /// receiver has not read all of the other one.
  bool put(Cursor& transfer, std::span<PutEnd* const> receivers);

 private:
  struct Reader {
    PutEnd* end;
    std::uint64_t filled;  // slots up to one that refers to the half
  };

  /// Makes room for so many bytes in the half that is filled; returns false if that has to wait.
  bool make_room(std::size_t needed);

  std::span<std::byte> memory_;
  std::size_t half_ = 0;  // the one that is filled
  std::size_t used_ = 0;  // bytes of it
  std::array<std::vector<Reader>, 2> readers_;
};

/// The receiver's end.
class TakeEnd {
 public:
  /// `readable` and `stage` are where the receiver sees the sender's buffers and stage, which slots
  /// may refer to.
  explicit TakeEnd(Channel& channel, const std::byte* readable = nullptr,
                   const std::byte* stage = nullptr)
      : channel_(&channel), readable_(readable), stage_(stage) {}
  /// Empties slots as long as one is full and the transfer has bytes left; returns true if one was
  /// full.
  bool advance(Cursor& transfer);
  /// Returns true if all bytes of the transfer are there.
  [[nodiscard]] static bool has_ended(const Cursor& transfer) { return transfer.left() == 0; }

 private:
  void take(std::size_t slot, Cursor& transfer) const;

  Channel* channel_;
  const std::byte* readable_;
  const std::byte* stage_;
  std::uint64_t put_ = 0;  // as last seen
  std::uint64_t taken_ = 0;
};

/// The transfers of a step that go through channels, while they are on their way. All of them go on
/// at once: one that waits for a slot holds up none of the others.
class Copies {
 public:
  /// The three add transfers: put() adds one to one rank, or of the same pieces to each of `to`, by
  /// way of the stage where that is faster; take() adds one from a rank. A channel has one transfer
  /// at a time; the pieces and the list of ends outlive it.
  void put(PutEnd& to, std::span<const Strided> pieces) { puts_.push_back({&to, Cursor(pieces)}); }
  void put(std::span<PutEnd* const> to, std::span<const Strided> pieces, Stage& stage);
  void take(TakeEnd& from, std::span<const Strided> pieces) {
    takes_.push_back({&from, Cursor(pieces)});
  }
  /// Goes on as far as that goes without waiting; returns true if any bytes have moved.
  bool advance();
  /// Returns the number of transfers that have not ended.
  [[nodiscard]] std::size_t left() const { return staged_.size() + puts_.size() + takes_.size(); }
  /// Returns true if all transfers have ended. What was put may still be in the channels, but the
  /// buffers that it came from are the caller's again.
  [[nodiscard]] bool done() const { return left() == 0; }

 private:
  template <class End>
  struct OnItsWay {
    End* end;
    Cursor cursor;
  };
  struct Staged {
    std::span<PutEnd* const> to;
    Cursor cursor;
    Stage* stage;
    int waits = 0;  // since bytes have moved
  };
  template <class End>
  static bool advance(std::vector<OnItsWay<End>>& transfers);
  bool advance_staged();
  void put_by_slots(std::span<PutEnd* const> to, const Cursor& cursor);

  std::vector<Staged> staged_;
  std::vector<OnItsWay<PutEnd>> puts_;
  std::vector<OnItsWay<TakeEnd>> takes_;
};

}  // namespace gatherbench::mpi
