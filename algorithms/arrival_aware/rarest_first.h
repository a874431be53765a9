// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gatherbench::algorithms {

/// A part of a block that goes from a rank that holds it to one that lacks it.
struct PartMove {
  int from;
  int to;
  int part;
  bool operator==(const PartMove&) const = default;
};

/// Parts that spread over all ranks, slot by slot. In a slot a rank sends one part and receives
/// one, at most. As many ranks as can take part do, and the parts that fewest ranks hold go first.
class RarestFirst {
 public:
  /// `owner`: of each part, in the order in which equally rare ones go; an owner's stand together.
  RarestFirst(int ranks, std::span<const int> owner);

  /// From now on the rank's own parts may leave it.
  void arrive(int rank);
  [[nodiscard]] bool is_done() const { return open_.empty(); }
  /// The moves of the next slot; none if nothing can move until another rank arrives.
  const std::vector<PartMove>& next_slot();

 private:
  using Word = std::uint64_t;
  /// Rows of bits.
  class Bits {
   public:
    Bits(std::size_t rows, std::size_t columns);
    [[nodiscard]] std::span<Word> row(int i) {
      return std::span(words_).subspan(static_cast<std::size_t>(i) * width_, width_);
    }
    [[nodiscard]] std::span<const Word> row(int i) const {
      return std::span(words_).subspan(static_cast<std::size_t>(i) * width_, width_);
    }
    void set(int row, int column);

   private:
    std::size_t width_;
    std::vector<Word> words_;
  };

  void sort_by_rarity();
  void order_ranks();
  void match_greedily();
  void match_the_rest();
  bool find_sender(int receiver);
  void match(int sender, int receiver);
  [[nodiscard]] bool can_send(int sender, int receiver) const;
  [[nodiscard]] int rarest(int sender, int receiver) const;
  void move(const PartMove& move);

  int ranks_;
  std::vector<int> owner_;
  std::vector<int> holders_count_;  // of each part
  std::vector<int> lacks_count_;    // of each rank
  std::vector<int> sends_count_;    // of each rank: parts that it may send
  Bits holders_;                    // of each part
  Bits senders_;                    // of each part: holders that may send it
  Bits lacks_;                      // of each rank: parts
  Bits sendable_;                   // of each rank: parts
  std::vector<int> open_;           // parts that some rank lacks, the rarest first

  // Of the slot.
  std::vector<int> sender_of_;    // of each rank; -1: none
  std::vector<int> receiver_of_;  // of each rank; -1: none
  std::vector<int> part_to_;      // of each rank; -1: the rarest that its sender has for it
  std::vector<int> as_senders_;   // ranks, those to be asked first in front
  std::vector<int> as_receivers_;
  Bits free_;               // ranks, in row 0 as senders, in row 1 as receivers
  std::vector<char> seen_;  // senders
  std::vector<PartMove> moves_;
  std::vector<int> sorted_;
  std::vector<int> begin_of_count_;
};

}  // namespace gatherbench::algorithms
