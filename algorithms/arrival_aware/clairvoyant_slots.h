// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "algorithms/arrival_aware/expected.h"
#include "algorithms/problem.h"
#include "algorithms/segments.h"

// The slots of the clairvoyant all-gather: which part goes when from whom to whom.
namespace gatherbench::algorithms {

// Sets of small numbers as bits of words.
namespace bits {

using Word = std::uint64_t;
constexpr std::size_t word_bits = 64;

constexpr std::size_t words_of(std::size_t bits) { return (bits + word_bits - 1) / word_bits; }
constexpr std::size_t word(int i) { return static_cast<std::size_t>(i) / word_bits; }
constexpr Word bit(int i) { return Word{1} << (static_cast<std::size_t>(i) % word_bits); }

inline void set(std::span<Word> words, int i) { words[word(i)] |= bit(i); }
inline void clear(std::span<Word> words, int i) { words[word(i)] &= ~bit(i); }
inline bool has(std::span<const Word> words, int i) { return (words[word(i)] & bit(i)) != 0; }

/// Returns the number of the lowest bit that is set in `word`, which has one and is words[index].
inline int lowest(std::size_t index, Word word) {
  return static_cast<int>(index * word_bits) + std::countr_zero(word);
}

/// Returns the number of the first bit that is set, from i on; -1 if there is none.
inline int next(std::span<const Word> words, int i) {
  std::size_t index = word(i);
  if (index >= words.size()) return -1;
  Word rest = words[index] & ~(bit(i) - 1);
  while (rest == 0) {
    if (++index == words.size()) return -1;
    rest = words[index];
  }
  return lowest(index, rest);
}

/// Returns true if a bit of the same number is set in both.
inline bool meet(std::span<const Word> one, std::span<const Word> other) {
  Word both = 0;
  for (std::size_t i = 0; i < one.size(); ++i) both |= one[i] & other[i];
  return both != 0;
}

/// Sets of numbers below `columns`, one for each row.
class Rows {
 public:
  Rows(std::size_t rows, std::size_t columns) : width_(words_of(columns)), words_(rows * width_) {}
  [[nodiscard]] std::span<Word> row(int i) {
    return std::span(words_).subspan(static_cast<std::size_t>(i) * width_, width_);
  }
  [[nodiscard]] std::span<const Word> row(int i) const {
    return std::span(words_).subspan(static_cast<std::size_t>(i) * width_, width_);
  }

 private:
  std::size_t width_;
  std::vector<Word> words_;
};

}  // namespace bits

/// A part of a block that goes from a rank that holds it to one that lacks it.
struct PartMove {
  int from;
  int to;
  int part;
  bool operator==(const PartMove&) const = default;
};

/// The parts that each rank may send. A rank lacks those that it may not send, except its own,
/// which it may not send before it has come.
class Holdings {
 public:
  Holdings(std::size_t ranks, std::size_t parts) : parts_of_(ranks, parts), with_(parts, ranks) {}
  void add(int rank, int part) {
    bits::set(parts_of_.row(rank), part);
    bits::set(with_.row(part), rank);
  }
  [[nodiscard]] std::span<const bits::Word> parts_of(int rank) const { return parts_of_.row(rank); }
  [[nodiscard]] std::span<const bits::Word> ranks_with(int part) const { return with_.row(part); }

 private:
  bits::Rows parts_of_;
  bits::Rows with_;
};

/// The messages of a slot: a rank sends one part and receives one, at most, and as many ranks as
/// can take part do.
class SlotMatching {
 public:
  /// The orders in which ranks and parts are asked. The parts are those that a rank may send and
  /// another one lacks.
  struct Order {
    std::vector<int> parts;
    std::vector<int> senders;
    std::vector<int> receivers;
  };

  /// `holdings` must outlive this, and changes between slots.
  SlotMatching(const Holdings& holdings, std::size_t ranks, std::size_t parts);

  /// Returns the moves of a slot, in the order of their receivers.
  const std::vector<PartMove>& find(const Order& order);

 private:
  using Words = std::vector<bits::Word>;
  /// Ranks that are not matched yet.
  struct Side {
    Words free;
    Words free_places;       // in the order
    std::vector<int> place;  // of each rank
    void set_free(const std::vector<int>& order);
    void take(int rank);
  };
  /// Senders from which an augmenting path leads on to a sender that is left, over as many pairs as
  /// there are levels before.
  struct Level {
    Words senders;  // that were not asked yet
    Words parts;    // all that they have, and maybe others
  };

  void match(int sender, int receiver, int part);
  void match_all(int part, const Order& order);
  void match_greedily(const Order& order);
  void match_the_rest(const Order& order);
  bool find_levels(const Order& order);
  void reach_receivers(Level& level, const Order& order);
  bool find_sender(int receiver, std::size_t level);
  [[nodiscard]] int rarest(int sender, int receiver, const Order& order) const;

  const Holdings& holdings_;
  std::vector<int> sender_of_;    // of each rank; -1: none
  std::vector<int> receiver_of_;  // of each rank; -1: none
  std::vector<int> part_to_;      // of each rank that has a sender; -1: the rarest of the two
  Side senders_;
  Side receivers_;
  Words senders_of_part_;  // by place
  // The levels of augmenting paths.
  std::vector<Level> levels_;
  Words reached_;  // receivers, by the last level
  Words others_;   // receivers that lack no part of any level
  Words all_;      // ranks
  Words no_parts_;
  std::vector<PartMove> moves_;
};

/// Parts that spread over all ranks, slot by slot. In a slot a rank sends one part and receives
/// one, at most. As many ranks as can take part do, and the parts that fewest ranks hold go first.
class RarestFirst {
 public:
  /// `owner` has the owner of each part, in the order in which equally rare parts go. The parts of
  /// one owner stand together.
  RarestFirst(int ranks, std::span<const int> owner);

  /// Lets the rank send its own parts from now on.
  void arrive(int rank);
  [[nodiscard]] bool is_done() const { return missing_ == 0; }
  /// Returns the moves of the next slot; none if nothing can move until another rank arrives.
  const std::vector<PartMove>& next_slot();

 private:
  /// Sorts by a number of each entry that is less than `numbers`; entries with equal numbers stay
  /// in their order.
  template <typename Number>
  void sort_stably(std::vector<int>& list, std::size_t numbers, Number number);
  void set_order();
  void move(const PartMove& move);

  int ranks_;
  std::vector<int> owner_;
  std::int64_t missing_;             // parts of ranks, all together
  std::vector<int> holders_count_;   // of each part
  std::vector<int> received_count_;  // of each rank: its own parts too
  std::vector<int> sends_count_;     // of each rank: parts that it may send
  std::vector<int> open_;            // parts that may be sent and that some rank lacks
  Holdings holdings_;
  SlotMatching matching_;
  SlotMatching::Order order_;
  std::vector<int> sorted_;
  std::vector<int> begin_of_number_;
};

/// The clock of the slots. It begins at the first arrival and counts whole picoseconds, on the
/// scale of problem.arrival_us, so that all ranks come to the same slots.
class SlotClock {
 public:
  SlotClock(const Problem& problem, std::int64_t part_bytes);

  /// Returns the next rank that is there by now, each once; -1 if no other one is.
  int next();
  void pass_slot();
  /// Goes on to the time when the next rank comes; there has to be one.
  void wait();
  /// Returns the end of the slot that begins now.
  [[nodiscard]] double slot_end_ps() const { return real_ps_ + static_cast<double>(slot_ps_); }
  /// Returns the arrival of each rank.
  [[nodiscard]] std::vector<double> arrivals_ps() const;

 private:
  std::vector<int> order_;
  std::vector<std::int64_t> ps_;  // in that order
  std::int64_t slot_ps_;
  std::int64_t now_ps_ = 0;  // at most a slot behind the last arrival
  double real_ps_ = 0;
  std::size_t next_ = 0;
};

/// The blocks of a problem, cut: the largest into `segments` parts, smaller ones into fewer.
class Slots {
 public:
  /// The problem must have arrivals, the time of a message, and bytes.
  Slots(const Problem& problem, std::int64_t segments);

  [[nodiscard]] const Segmentation& segmentation() const { return segmentation_; }
  [[nodiscard]] const Segments& segments() const { return segments_; }
  /// Returns the arrival of each rank.
  [[nodiscard]] std::vector<double> arrivals_ps() const {
    return SlotClock(problem_, segmentation_.bytes).arrivals_ps();
  }
  /// Returns the number of parts that have bytes.
  [[nodiscard]] std::size_t parts() const { return number_.size(); }
  /// Calls visit(slot, move, end_ps) for all messages, slot by slot, until all ranks have all
  /// parts. The part of a move is its number among all segments of all blocks.
  template <typename Visit>
  void spread(Visit visit) const {
    SlotClock clock(problem_, segmentation_.bytes);
    RarestFirst spreading(problem_.ranks, owner_);
    for (std::int64_t slot = 0; !spreading.is_done(); ++slot) {
      for (int rank = clock.next(); rank >= 0; rank = clock.next()) spreading.arrive(rank);
      const std::vector<PartMove>& moves = spreading.next_slot();
      for (const PartMove& move : moves) {
        const int part = number_[static_cast<std::size_t>(move.part)];
        visit(slot, PartMove{move.from, move.to, part}, clock.slot_end_ps());
      }
      if (moves.empty()) {
        clock.wait();
      } else {
        clock.pass_slot();
      }
    }
  }

 private:
  const Problem& problem_;
  Segmentation segmentation_;
  Segments segments_;
  // The parts that have bytes. First stand those that go first among equally rare ones: those of
  // the rank that comes last, and of ranks that come together those of the higher one.
  std::vector<int> number_;
  std::vector<int> owner_;
};

}  // namespace gatherbench::algorithms
