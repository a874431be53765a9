// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/schedule.h"
#include "collectives/collective.h"
#include "mpi/layout.h"

// From blocks to bytes: a schedule and a layout become messages and copies between buffers. Knows
// no MPI, so that tests can run all ranks of it symbolically.
namespace gatherbench::mpi {

/// How blocks that do not lie together travel to one peer (Loch 2021, 4.3).
enum class Noncontiguous {
  pipelined,  ///< a message for each run of blocks that lie together
  packed,     ///< copied into one message, and out of it
  datatype,   ///< one message, described by an MPI datatype
};

enum class Area : std::uint8_t {
  send,     ///< the caller's send buffer: blocks held before
  receive,  ///< the caller's receive buffer: blocks at their final places
  scratch,  ///< blocks in the order the schedule asks for
  packed,   ///< messages made of several runs of blocks, Noncontiguous::packed only
};

/// Bytes [offset, offset + bytes) of an area.
struct Piece {
  Area area;
  std::int64_t offset;
  std::int64_t bytes;
};

struct Copy {
  Area from;
  std::int64_t from_offset;
  Area to;
  std::int64_t to_offset;
  std::int64_t bytes;
};

/// One message: its pieces in order, more than one for Noncontiguous::datatype only; none for a
/// token.
struct Message {
  int peer;
  std::span<const Piece> pieces;
};

/// What one rank does, in terms of bytes.
class LoweredSchedule {
 public:
  /// What a step does: copies, then all its messages at once, then copies.
  struct Step {
    bool barrier;  ///< all ranks wait for each other first
    std::span<const Copy> before;
    std::vector<Message> sends;
    std::vector<Message> receives;
    std::span<const Copy> after;
  };

  /// `initial` are the blocks that the rank holds before: those of the send buffer, or, with
  /// `in_place`, those that lie in the receive buffer already.
  LoweredSchedule(const algorithms::Schedule& schedule, const Layout& layout,
                  const collectives::Blocks& initial, bool in_place, Noncontiguous noncontiguous);

  /// Before the first step, and after the last one.
  [[nodiscard]] std::span<const Copy> prologue() const { return prologue_; }
  [[nodiscard]] std::span<const Copy> epilogue() const { return epilogue_; }
  [[nodiscard]] std::size_t steps() const { return steps_.size(); }
  [[nodiscard]] Step step(std::size_t i) const;
  /// The leading steps that send no bytes (they may send tokens) and meet no barrier: they can run
  /// before the own block is there.
  [[nodiscard]] std::size_t background_steps() const;
  /// How much of the receive buffer, from its start, rank 0 broadcasts after the last step.
  [[nodiscard]] std::int64_t broadcast_bytes() const { return broadcast_bytes_; }
  [[nodiscard]] std::int64_t scratch_bytes() const { return scratch_bytes_; }
  [[nodiscard]] std::int64_t packed_bytes() const { return packed_bytes_; }

 private:
  struct Range {
    std::size_t first;
    std::size_t count;
  };
  struct MessageEntry {
    int peer;
    Range pieces;
  };
  struct StepEntry {
    bool barrier;
    Range before, sends, receives, after;
  };

  /// Adds the copies of what the rank holds before to where the steps work.
  void add_prologue(const Layout& layout, const collectives::Blocks& initial, bool in_place);
  /// Adds the transfer's messages; what has to be packed or unpacked goes to copies_.
  void add(const algorithms::Transfer& transfer, bool outgoing, std::int64_t& packed_end);
  /// The runs of bytes that the transfer's blocks occupy, without empty blocks.
  [[nodiscard]] std::vector<Piece> pieces_of(const algorithms::Transfer& transfer) const;
  [[nodiscard]] std::int64_t place(int block) const;
  [[nodiscard]] std::vector<Message> messages(const Range& range) const;

  Layout layout_;  // of segments, where the schedule cuts the blocks
  Area work_;
  int first_block_;
  Noncontiguous noncontiguous_;
  std::int64_t broadcast_bytes_ = 0;
  std::int64_t scratch_bytes_ = 0;
  std::int64_t packed_bytes_ = 0;
  std::vector<Copy> prologue_;
  std::vector<Copy> epilogue_;
  std::vector<Copy> copies_;
  std::vector<Piece> pieces_;
  std::vector<MessageEntry> messages_;
  std::vector<StepEntry> steps_;
};

}  // namespace gatherbench::mpi
