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

// From blocks to bytes: a schedule and a layout become messages and copies between buffers. Knows
// no MPI, so that tests can run all ranks of it symbolically.
namespace gatherbench::mpi {

/// Elements `first` to `last` - 1 of a list.
struct Range {
  std::size_t first;
  std::size_t last;
  [[nodiscard]] std::size_t size() const { return last - first; }
};

/// One message: its pieces in order, none for a token. Several are described by a datatype.
struct Message {
  int peer;
  std::span<const Copy> packing;  ///< of one that is sent: what has to be copied first
  std::span<const Piece> pieces;
};

/// What one rank does, in terms of bytes.
class LoweredSchedule {
 public:
  /// What a step does: all its messages at once, then copies. Each message is packed just before it
  /// is sent, while those before it are on their way.
  struct Step {
    bool barrier;  ///< all ranks wait for each other first
    bool leaves;   ///< its messages, which are tokens, may end with the schedule
    std::vector<Message> sends;
    std::vector<Message> receives;
    std::span<const Copy> unpacking;
  };

  /// `layout` is of all blocks of the collective. The send buffer holds what the rank has before,
  /// the receive buffer what it has after; with `in_place` the former lies there already. Which
  /// bytes are a message is a matter of the blocks' order, the same on both ends; where the receive
  /// buffer has them apart, a message has several pieces.
  ///
  /// Where ranks hold contributions (part.combines), a rank sends what it has not combined yet from
  /// where it lies, receives what it combines first where the result belongs, and all that comes
  /// later beside it: so nothing is copied, unless the operator does not commute.
  LoweredSchedule(const algorithms::Schedule& schedule, const Layout& layout,
                  const collectives::Part& part, bool in_place,
                  const algorithms::MessageForm& form);

  /// Before the first step, and after the last one.
  [[nodiscard]] std::span<const Copy> prologue() const { return prologue_; }
  [[nodiscard]] std::span<const Copy> epilogue() const { return epilogue_; }
  /// Of the caller's buffers. Offsets and bytes of pieces and copies are of data alone.
  [[nodiscard]] const Element& element() const { return layout_.element(); }
  [[nodiscard]] std::size_t steps() const { return steps_.size(); }
  [[nodiscard]] Step step(std::size_t i) const;
  /// The leading steps that send no bytes of what the rank has before (they may send tokens, and
  /// what came in before them) and meet no barrier: they can run before that is there.
  [[nodiscard]] std::size_t background_steps() const;
  /// What of the receive buffer is broadcast after the last step, by broadcast_root(); empty: there
  /// is no broadcast.
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

  /// Where the steps find each block that has its place before they begin, and the copies before
  /// and after them that this takes.
  void place_blocks(const collectives::Part& part, bool in_place);
  /// The same where ranks hold contributions.
  void place_contributions(const collectives::Part& part, bool in_place, bool receives);
  /// `initial`: what the rank has before.
  void add_step(const algorithms::Step& step, const collectives::Blocks& initial);
  /// Adds the transfer's messages; what has to be packed or unpacked goes to copies_.
  void add(const algorithms::Transfer& transfer, bool outgoing, std::int64_t& packed_end);
  /// Of this many.
  [[nodiscard]] std::size_t runs_a_message(std::size_t runs) const;
  /// With the copies that it takes, before or behind the message.
  Piece pack(std::span<const Piece> pieces, bool outgoing, std::int64_t& packed_end);
  /// What travels together: bytes next to each other in the order of all blocks. Where they lie may
  /// differ from rank to rank.
  struct Run {
    std::int64_t begin;
    std::int64_t end;
    std::vector<Piece> pieces;
  };
  /// Finds places for what the transfer brings, and appends to `folds` what is to be done with it
  /// after the step.
  void place_incoming(const algorithms::Transfer& transfer, std::int64_t& packed_end,
                      std::vector<Copy>& folds);
  /// What comes in has its place in the end, for the next steps.
  void settle(const algorithms::Transfer& transfer);
  /// Whether bytes of these blocks are in the transfer.
  [[nodiscard]] bool has_any(const algorithms::Transfer& transfer,
                             const collectives::Blocks& blocks) const;
  /// The transfer's blocks, without empty ones.
  [[nodiscard]] std::vector<Run> runs_of(const algorithms::Transfer& transfer);
  /// In the order of all blocks, which begins with first_block_.
  [[nodiscard]] std::int64_t position(int block) const;
  /// Where blocks first to last - 1 lie.
  [[nodiscard]] std::vector<Piece> pieces_of(int first, int last);
  /// Of a block that has none yet, it finds one in the scratch area.
  [[nodiscard]] Place place_of(int block);
  [[nodiscard]] std::vector<Message> messages(const Range& range) const;

  Layout layout_;  // where the schedule cuts the blocks, of segments
  int first_block_;
  Places places_;
  Places work_;            // where contributions are combined, if `combines_`
  bool combines_;          // what comes in is combined with what is there
  bool in_order_ = false;  // in the order of ranks
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
