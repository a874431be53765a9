// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/arrival_aware/bit_rows.h"

namespace gatherbench::algorithms {

/// A part of a block that goes from a rank that holds it to one that lacks it.
struct PartMove {
  int from;
  int to;
  int part;
  bool operator==(const PartMove&) const = default;
};

/// The parts that each rank may send. A rank lacks the parts that it may not send, but for its own.
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

  /// The holdings live longer, and change between slots.
  SlotMatching(const Holdings& holdings, std::size_t ranks, std::size_t parts);

  /// The moves of a slot, by receiver.
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

}  // namespace gatherbench::algorithms
