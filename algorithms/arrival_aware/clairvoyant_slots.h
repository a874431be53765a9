// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "algorithms/arrival_aware/expected.h"
#include "algorithms/arrival_aware/rarest_first.h"
#include "algorithms/problem.h"
#include "algorithms/segments.h"

// The slots of the clairvoyant all-gather: which part goes when from whom to whom.
namespace gatherbench::algorithms {

/// The arrivals of ranks, in whole picoseconds from the first one on, so that all ranks come to the
/// same slots.
class SlotClock {
 public:
  SlotClock(const Problem& problem, std::int64_t part_bytes);

  /// The next rank that is there by now; -1: no other one is.
  int next();
  void pass_slot();
  /// Goes on to the time when the next rank comes; there has to be one.
  void wait();
  /// End of the slot that begins now.
  [[nodiscard]] double slot_end_ps() const { return real_ps_ + static_cast<double>(slot_ps_); }
  /// Arrival of each rank.
  [[nodiscard]] std::vector<double> arrivals_ps() const;

 private:
  std::vector<int> order_;
  std::vector<std::int64_t> ps_;  // in that order
  std::int64_t slot_ps_;
  std::int64_t now_ps_ = 0;  // at most a slot behind the last arrival
  double real_ps_ = 0;
  std::size_t next_ = 0;
};

/// Blocks in so many parts of the largest block; smaller ones have fewer.
class Slots {
 public:
  /// Needs arrivals, the time of a message, and bytes.
  Slots(const Problem& problem, std::int64_t segments);

  [[nodiscard]] const Segmentation& segmentation() const { return segmentation_; }
  [[nodiscard]] const Segments& segments() const { return segments_; }
  /// Arrival of each rank.
  [[nodiscard]] std::vector<double> arrivals_ps() const {
    return SlotClock(problem_, segmentation_.bytes).arrivals_ps();
  }
  /// Parts that have bytes.
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
  // Parts that have bytes, those first that of equally rare ones go first: of the rank that comes
  // last, then of the higher one.
  std::vector<int> number_;
  std::vector<int> owner_;
};

}  // namespace gatherbench::algorithms
