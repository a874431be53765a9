// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/algorithm.h"

namespace gatherbench::algorithms {

/// The first ranks, whose schedules stand for those of all others (Symmetry). Without a symmetry
/// each rank stands for itself.
class Representatives {
 public:
  Representatives(Symmetry symmetry, int count, int ranks)
      : symmetry_(symmetry), count_(count), ranks_(ranks) {}
  /// Returns the ranks that stand for others where all blocks are equal or may be taken for equal.
  static Representatives of(const Algorithm& algorithm, const Problem& problem) {
    // Schedules in another order of ranks are no longer the first ones with renumbered peers.
    if (problem.reorder != nullptr || algorithm.symmetry == Symmetry::none) {
      return none(problem.ranks);
    }
    const int count = algorithm.period == nullptr ? 1 : algorithm.period(problem);
    return {algorithm.symmetry, count, problem.ranks};
  }
  static Representatives none(int ranks) { return {Symmetry::none, ranks, ranks}; }

  [[nodiscard]] Symmetry symmetry() const { return symmetry_; }
  [[nodiscard]] int count() const { return count_; }
  /// Returns how many ranks each of them stands for.
  [[nodiscard]] int each() const { return ranks_ / count_; }
  [[nodiscard]] int of(int rank) const { return count_ == 1 ? 0 : rank % count_; }
  /// Returns the number of ranks before this one that have the same representative.
  [[nodiscard]] int group(int rank) const { return count_ == 1 ? rank : rank / count_; }
  /// Returns the peer that a rank has where its representative has the peer `of_representative`.
  [[nodiscard]] int peer(int rank, int of_representative) const {
    switch (symmetry_) {
      case Symmetry::none:
        break;
      case Symmetry::shift: {
        const int left = ranks_ - (rank - of(rank));
        return of_representative < left ? of_representative + ranks_ - left
                                        : of_representative - left;
      }
      case Symmetry::bitwise_xor:
        return of_representative ^ rank;
      case Symmetry::ascending:
        return of_representative <= rank ? of_representative - 1 : of_representative;
    }
    return of_representative;
  }
  /// Returns the peer of the representative that stands for `other`, a peer of this rank.
  [[nodiscard]] int as_seen_from(int rank, int other) const {
    switch (symmetry_) {
      case Symmetry::none:
        break;
      case Symmetry::shift:
        return (other - (rank - of(rank)) + ranks_) % ranks_;
      case Symmetry::bitwise_xor:
        return other ^ rank;
      case Symmetry::ascending:
        return other < rank ? other + 1 : other;
    }
    return other;
  }

 private:
  Symmetry symmetry_;
  int count_;
  int ranks_;
};

}  // namespace gatherbench::algorithms
