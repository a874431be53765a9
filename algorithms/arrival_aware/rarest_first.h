// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/arrival_aware/slot_matching.h"

namespace gatherbench::algorithms {

/// Parts that spread over all ranks, slot by slot. In a slot a rank sends one part and receives
/// one, at most. As many ranks as can take part do, and the parts that fewest ranks hold go first.
class RarestFirst {
 public:
  /// `owner`: of each part, in the order in which equally rare ones go; an owner's stand together.
  RarestFirst(int ranks, std::span<const int> owner);

  /// Lets the rank send its own parts from now on.
  void arrive(int rank);
  [[nodiscard]] bool is_done() const { return missing_ == 0; }
  /// The moves of the next slot; none if nothing can move until another rank arrives.
  const std::vector<PartMove>& next_slot();

 private:
  /// Sorts by a number of each rank that is less than `numbers`; ranks with equal numbers stay in
  /// their order.
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

}  // namespace gatherbench::algorithms
