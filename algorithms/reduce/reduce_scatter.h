// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "algorithms/problem.h"
#include "algorithms/schedule.h"

// The first halves of reductions and all-reduces: contributions are combined segment by segment, so
// that each rank ends with one segment.
namespace gatherbench::algorithms {

/// Adds the steps in which the vector is cut into p segments: each goes round the ring once and is
/// combined on its way, in p-1 steps, so that segment i ends at rank i. Operators have to commute.
void add_ring_reduce_scatter(Schedule& schedule, const Problem& problem);

/// The ranks that are left when p is folded to a power of two: where p is none, the first ranks
/// form pairs of neighbours, and the odd one of a pair hands its vector over to the even one. So
/// the order of ranks is kept.
class FoldedRanks {
 public:
  explicit FoldedRanks(int ranks);
  /// Returns the ranks that are left, ascending.
  [[nodiscard]] const std::vector<int>& members() const { return members_; }
  [[nodiscard]] int size() const { return static_cast<int>(members_.size()); }
  /// Returns true if the rank hands its vector over and is not left.
  [[nodiscard]] bool is_out(int rank) const { return is_paired(rank) && rank % 2 == 1; }
  /// Returns the place of the rank among the members, or of the member that takes its vector.
  [[nodiscard]] int place_of(int rank) const { return is_paired(rank) ? rank / 2 : rank - pairs_; }
  [[nodiscard]] int at(int place) const { return members_[static_cast<std::size_t>(place)]; }

  /// Adds a step of a pair: its odd rank sends `blocks`, the whole vector, and its even one
  /// combines them with its own.
  void fold_in(Schedule& schedule, int rank, BlockRange blocks) const;
  /// Adds the way back: the even rank of a pair sends `blocks`, the result, to the odd one.
  void fold_out(Schedule& schedule, int rank, BlockRange blocks) const;

 private:
  [[nodiscard]] bool is_paired(int rank) const { return rank < 2 * pairs_; }

  int pairs_;
  std::vector<int> members_;
};

/// Cuts the vector into as many segments as there are members: in each step two members exchange
/// halves of what they still combine, the farthest first, so that segment i ends at member i. Adds
/// what the one at `place` does, in log2 members steps. Operators have to commute.
void add_recursive_halving(Schedule& schedule, const FoldedRanks& members, int place);

}  // namespace gatherbench::algorithms
