// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/choice/message_form.h"
#include "algorithms/collectives/collective.h"
#include "algorithms/schedule.h"
#include "algorithms/segments.h"
#include "runtime/mpi/plans/layout.h"
#include "runtime/mpi/plans/places.h"

// A schedule and a layout become messages and copies between buffers: blocks, which the schedule
// may cut into segments, become bytes. There is no MPI here, so that tests can run all ranks
// symbolically.
namespace gatherbench::mpi {

/// Returns the part with its blocks counted in segments.
[[nodiscard]] collectives::Part in_segments(const collectives::Part& part,
                                            const algorithms::Segments& segments);

/// Returns the layout of the segments: each lies in its block.
[[nodiscard]] Layout layout_of(const algorithms::Segments& segments, const Layout& layout);

/// Elements `first` to `last` - 1 of a list.
struct Range {
  std::size_t first;
  std::size_t last;
  [[nodiscard]] std::size_t size() const { return last - first; }
};

/// One message: its pieces in order, none for a token. A datatype describes several pieces.
struct Message {
  int peer;
  std::span<const Copy> packing;  ///< copies before it is sent
  std::span<const Piece> pieces;
};

/// Messages and copies of one rank, in bytes.
class LoweredSchedule {
 public:
  /// One step: all its messages at once, then copies. Each message is packed just before it is
  /// sent, while those before it are on their way.
  struct Step {
    bool barrier;  ///< all ranks wait for each other first
    bool leaves;   ///< its messages, which are tokens, may end with the schedule
    std::vector<Message> sends;
    std::vector<Message> receives;
    std::span<const Copy> unpacking;
  };

  /// `layout` is of all blocks of the collective. The send buffer holds what the rank has before,
  /// the receive buffer what it has after; with `in_place` the former lies there already. A message
  /// is cut by the order of blocks, which is the same on both ends; where the receive buffer has
  /// these blocks apart, a message has several pieces. What the rank has before goes from the send
  /// buffer, unless it is also sent together with other blocks: the copy to the receive buffer then
  /// writes cache lines that no peer has read.
  ///
  /// Where ranks hold contributions (part.combines), a rank sends what it has not combined yet from
  /// where it lies, receives what it combines first where the result belongs, and all that comes
  /// later beside it: so nothing is copied, unless the operator does not commute.
  LoweredSchedule(const algorithms::Schedule& schedule, const Layout& layout,
                  const collectives::Part& part, bool in_place,
                  const algorithms::MessageForm& form);

  /// Returns the copies before the first step; epilogue() returns those after the last one.
  [[nodiscard]] std::span<const Copy> prologue() const { return prologue_; }
  [[nodiscard]] std::span<const Copy> epilogue() const { return epilogue_; }
  /// Returns the element of the caller's buffers. Offsets and bytes of pieces and copies are of
  /// data alone.
  [[nodiscard]] const Element& element() const { return layout_.element(); }
  [[nodiscard]] std::size_t steps() const { return steps_.size(); }
  [[nodiscard]] Step step(std::size_t i) const;
  /// Returns the number of leading steps that can run before what the rank has before is there:
  /// they send none of its bytes (they may send tokens, and what came in earlier) and meet no
  /// barrier.
  [[nodiscard]] std::size_t background_steps() const;
  /// Returns the part of the receive buffer that broadcast_root() broadcasts after the last step;
  /// none if there is no broadcast.
  [[nodiscard]] std::span<const Piece> broadcast() const { return broadcast_; }
  [[nodiscard]] int broadcast_root() const { return broadcast_root_; }
  [[nodiscard]] std::int64_t scratch_bytes() const { return scratch_bytes_; }
  [[nodiscard]] std::int64_t packed_bytes() const { return packed_bytes_; }

 private:
  struct MessageEntry {
    int peer;
    Range packing;
    Range pieces;
  };
  struct StepEntry {
    bool barrier;
    bool leaves;
    bool needs_own;  // it sends, or combines, bytes that the rank has before
    Range sends, receives, unpacking;
  };

  /// Finds where the steps find each block that has its place before they begin, and the copies
  /// before and after the steps that this takes.
  void place_blocks(const collectives::Part& part, bool in_place);
  /// Places the contributions of all ranks, and combines them after the steps: the last two first,
  /// so that they are combined in their order, in the receive buffer.
  void place_gathered(const algorithms::Schedule& schedule, bool in_place);
  /// Does as place_blocks where ranks hold contributions.
  void place_contributions(const collectives::Part& part, bool in_place, bool receives);
  /// Adds a step. `initial` is what the rank has before.
  void add_step(const algorithms::Step& step, const collectives::Blocks& initial);
  /// Adds the transfer's messages; what has to be packed or unpacked goes to copies_.
  void add(const algorithms::Transfer& transfer, bool outgoing, std::int64_t& packed_end);
  /// Returns how many of `runs` runs make a message.
  [[nodiscard]] std::size_t runs_a_message(std::size_t runs) const;
  /// Adds the copies that pack before the message or unpack behind it; returns the packed piece.
  Piece pack(std::span<const Piece> pieces, bool outgoing, std::int64_t& packed_end);
  /// Bytes that travel together, since they are next to each other in the order of all blocks.
  /// Where they lie may differ from rank to rank.
  struct Run {
    std::int64_t begin;
    std::int64_t end;
    std::vector<Piece> pieces;
  };
  /// Finds places for what the transfer brings, and appends to `folds` what is to be done with it
  /// after the step.
  void place_incoming(const algorithms::Transfer& transfer, std::int64_t& packed_end,
                      std::vector<Copy>& folds);
  /// Gives each block that comes in its final place, for the next steps.
  void settle(const algorithms::Transfer& transfer);
  /// Returns true if bytes of these blocks are in the transfer.
  [[nodiscard]] bool has_any(const algorithms::Transfer& transfer,
                             const collectives::Blocks& blocks) const;
  /// Says which of a transfer's blocks lie in the send buffer, too.
  enum class Own : std::uint8_t { none, some, all };
  [[nodiscard]] Own own_of(const algorithms::Transfer& transfer) const;
  /// Returns true if no transfer that is sent has some such blocks and others.
  [[nodiscard]] bool sends_own_alone(const algorithms::Schedule& schedule) const;
  /// Returns the transfer's blocks as runs, without empty ones; those of the send buffer if `own`.
  [[nodiscard]] std::vector<Run> runs_of(const algorithms::Transfer& transfer, bool own);
  /// Returns the block's offset in the order of all blocks, which begins with first_block_.
  [[nodiscard]] std::int64_t position(int block) const;
  /// Returns where blocks first to last - 1 lie, in the send buffer if `own`.
  [[nodiscard]] std::vector<Piece> pieces_of(int first, int last, bool own);
  /// Returns the block's place; for a block that has none yet, it finds one in the scratch area.
  [[nodiscard]] Place place_of(int block);
  [[nodiscard]] std::vector<Message> messages(const Range& range) const;

  Layout layout_;  // of segments, where the schedule cuts blocks
  int first_block_;
  Places places_;
  Places own_;             // of blocks that are sent from the send buffer, though places_ has them
  Places work_;            // where contributions are combined, if `combines_`
  bool combines_;          // what comes in is combined with what is there
  bool in_order_ = false;  // combines in the order of ranks
  algorithms::MessageForm form_;
  std::vector<Piece> broadcast_;
  int broadcast_root_ = 0;
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
