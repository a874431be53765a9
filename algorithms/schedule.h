// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/collectives/blocks.h"
#include "algorithms/segments.h"

// The vocabulary in which an algorithm is written down: what one rank sends to and receives from
// whom, step by step. There are p ranks; what a block is its collective says: in an all-gather,
// block b is what rank b contributes.
namespace gatherbench::algorithms {

using collectives::BlockRange;

/// The use of blocks that come in.
enum class Incoming : std::uint8_t {
  store,           ///< they are what the rank has of them from now on
  combine_before,  ///< the operator's result of them and of what the rank has, in this order
  combine_behind,  ///< of what the rank has and of them
};

/// The blocks that move between the rank and one peer, in this order. Without blocks it is a token:
/// a message without bytes that says "ready". Tokens meet receives of tokens, blocks those of
/// blocks.
struct Transfer {
  int peer;
  std::span<const BlockRange> blocks;
  Incoming incoming = Incoming::store;  ///< of one that is received
};

/// All transfers of one direction, flat: an algorithm has up to p-1 steps, so a vector a step would
/// cost more than the numbers in it.
class TransferList {
 public:
  /// The parts of an iterator that `for` needs: transfers are made when they are looked at.
  class Iterator {
   public:
    Iterator(const TransferList* list, std::size_t at) : list_(list), at_(at) {}
    [[nodiscard]] Transfer operator*() const { return list_->transfer(at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const TransferList* list_;
    std::size_t at_;
  };
  /// A view of the transfers of one step.
  class Transfers {
   public:
    Transfers(const TransferList& list, std::size_t first, std::size_t last)
        : list_(&list), first_(first), last_(last) {}
    [[nodiscard]] std::size_t size() const { return last_ - first_; }
    [[nodiscard]] bool empty() const { return first_ == last_; }
    [[nodiscard]] Transfer operator[](std::size_t i) const { return list_->transfer(first_ + i); }
    [[nodiscard]] Iterator begin() const { return {list_, first_}; }
    [[nodiscard]] Iterator end() const { return {list_, last_}; }

   private:
    const TransferList* list_;
    std::size_t first_;
    std::size_t last_;
  };

  void reserve(std::size_t transfers, std::size_t ranges) {
    transfers_.reserve(transfers);
    ranges_.reserve(ranges);
  }
  /// Adds `blocks` to the transfer with `peer` if that is the last one since `step_begin`, else
  /// begins a new transfer.
  void add(std::size_t step_begin, int peer, BlockRange blocks,
           Incoming incoming = Incoming::store);
  void add_token(int peer);
  [[nodiscard]] std::size_t size() const { return transfers_.size(); }
  /// Returns the memory that it takes, in bytes.
  [[nodiscard]] std::size_t bytes() const {
    return transfers_.capacity() * sizeof(Entry) + ranges_.capacity() * sizeof(BlockRange);
  }
  [[nodiscard]] Transfer transfer(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : transfers_[i - 1].ranges_end;
    const std::size_t count = transfers_[i].ranges_end - begin;
    return {transfers_[i].peer, std::span(ranges_).subspan(begin, count),
            static_cast<Incoming>(transfers_[i].incoming)};
  }
  bool operator==(const TransferList&) const = default;

 private:
  struct Entry {
    std::int32_t peer;
    std::uint32_t ranges_end : 30;
    std::uint32_t incoming : 2;
    bool operator==(const Entry&) const = default;
  };
  [[nodiscard]] static Entry entry(int peer, std::size_t ranges_end, Incoming incoming);
  std::vector<Entry> transfers_;
  std::vector<BlockRange> ranges_;
};

/// The sends and receives of one rank that start together; the next step starts when all are done.
/// A peer stands at most once in each direction.
struct Step {
  bool barrier;  ///< it starts when all ranks have come to their step of the same barrier
  bool leaves;   ///< it has outgoing tokens alone, and the next one starts at once
  TransferList::Transfers sends;
  TransferList::Transfers receives;
};

/// One rank's part in a collective: a value, without MPI, buffers or bytes.
class Schedule {
 public:
  /// Reserves memory for the steps, and for the transfers and block ranges of each direction;
  /// optional.
  void reserve(std::size_t steps, std::size_t transfers, std::size_t ranges);

  /// Begins a step. With `barrier`, all ranks wait for each other first; each must have as many
  /// barriers.
  void begin_step(bool barrier = false);
  /// Begins a step of outgoing tokens alone: this rank does not wait for them but goes on at once.
  /// The tokens are on their way until the schedule's end at most.
  void begin_leaving_step();
  /// Adds blocks to the current step. Consecutive calls with one peer make one transfer of several
  /// ranges, to all of which the same happens. Where ranks hold contributions
  /// (Collective::combines), a rank has no more of a block that it sent, unless they keep them
  /// (keeps_contributions).
  void send(int peer, BlockRange blocks);
  void receive(int peer, BlockRange blocks, Incoming incoming = Incoming::store);
  /// Adds a message without blocks to the current step.
  void send_token(int peer);
  void receive_token(int peer);

  [[nodiscard]] std::size_t steps() const { return steps_.size(); }
  [[nodiscard]] Step step(std::size_t i) const {
    const bool last = i + 1 == steps_.size();
    return {steps_[i].barrier != 0,
            steps_[i].leaves != 0,
            {sends_, steps_[i].sends, last ? sends_.size() : steps_[i + 1].sends},
            {receives_, steps_[i].receives, last ? receives_.size() : steps_[i + 1].receives}};
  }
  bool operator==(const Schedule&) const = default;
  /// Returns the number of leading steps that send nothing but what came in before them (and
  /// tokens): they can run before the rank's own block is there. It counts none from the first
  /// barrier on, or from where something is combined.
  [[nodiscard]] std::size_t background_steps() const;
  /// Returns the memory that it takes, in bytes: 40 for a step of `ring`.
  [[nodiscard]] std::size_t bytes() const {
    return steps_.capacity() * sizeof(Begin) + sends_.bytes() + receives_.bytes();
  }

  /// 0: blocks are sent from and received at their final places. Otherwise the steps work in a
  /// scratch buffer that holds the blocks in cyclic order from this one on, and that is copied to
  /// the final places at the end.
  int scratch_first_block = 0;

  /// Unless it leaves blocks whole, the steps move segments: blocks are numbered over all segments
  /// of all ranks. Empty segments make no message.
  Segmentation segmentation = {};

  /// The steps bring all blocks to one rank only; the MPI library's broadcast does the rest.
  bool broadcast_at_end = false;
  int broadcast_root = 0;  ///< the rank that broadcasts

  /// If not 0, the steps gather the contributions of so many ranks, as an all-gather would, block b
  /// being all of rank b's. After them the rank combines all of them, in the order of ranks.
  int contributions = 0;
  int own_contribution = 0;  ///< the block that the rank begins with, then

 private:
  struct Begin {
    std::uint32_t sends : 30;
    std::uint32_t barrier : 1;
    std::uint32_t leaves : 1;
    std::uint32_t receives;
    bool operator==(const Begin&) const = default;
  };
  std::vector<Begin> steps_;
  TransferList sends_;
  TransferList receives_;
};

/// The ranges, one or two, of `count` >= 1 blocks in cyclic order from `first` (taken mod ranks).
struct CyclicRange {
  CyclicRange(int first, int count, int ranks);
  [[nodiscard]] const BlockRange* begin() const { return parts; }
  [[nodiscard]] const BlockRange* end() const { return parts + size; }

 private:
  BlockRange parts[2];
  std::size_t size;
};

/// Appends the steps of `from`, with ranks renamed by `peer(rank)` and the blocks of each transfer
/// by `blocks(ranges)`, which returns any range of BlockRange. With `incoming`, that is done with
/// all that comes in.
template <typename Peer, typename NewBlocks>
void append_steps(Schedule& schedule, const Schedule& from, Peer peer, NewBlocks blocks,
                  std::optional<Incoming> incoming = std::nullopt) {
  for (std::size_t s = 0; s < from.steps(); ++s) {
    const Step step = from.step(s);
    if (step.leaves) schedule.begin_leaving_step();
    if (!step.leaves) schedule.begin_step(step.barrier);
    for (const Transfer send : step.sends) {
      const int to = peer(send.peer);
      if (send.blocks.empty()) schedule.send_token(to);
      for (const BlockRange range : blocks(send.blocks)) schedule.send(to, range);
    }
    for (const Transfer receive : step.receives) {
      const int source = peer(receive.peer);
      if (receive.blocks.empty()) schedule.receive_token(source);
      for (const BlockRange range : blocks(receive.blocks)) {
        schedule.receive(source, range, incoming.value_or(receive.incoming));
      }
    }
  }
}

}  // namespace gatherbench::algorithms
