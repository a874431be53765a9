// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "algorithms/problem.h"

namespace gatherbench::algorithms {

/// The ranks of each node, ascending; nodes in the order of their lowest ranks.
class NodeGroups {
 public:
  explicit NodeGroups(const Problem& problem);

  std::span<const std::vector<int>> ranks;
  int node = 0;   ///< of problem.rank
  int place = 0;  ///< of problem.rank among its node's ranks
  [[nodiscard]] int count() const { return static_cast<int>(ranks.size()); }
  [[nodiscard]] int min_ranks() const { return all_->min_ranks; }
  [[nodiscard]] int max_ranks() const { return all_->max_ranks; }
  /// Returns true if the ranks of every node follow each other.
  [[nodiscard]] bool contiguous() const;
  /// Returns by how many ranks each node is shifted onto the next, if all nodes have as many ranks,
  /// which follow each other; otherwise the number of all ranks.
  [[nodiscard]] int period() const;

 private:
  /// The groups as all ranks see them: they do not depend on problem.rank.
  struct OfAllRanks {
    OfAllRanks(int ranks, std::span<const int> node_of_rank);
    std::vector<int> given;  // the number of every rank's node
    std::vector<std::vector<int>> groups;
    std::vector<int> node;  // of each rank, by our numbers
    std::vector<int> place;
    int min_ranks;
    int max_ranks;
  };
  static std::shared_ptr<const OfAllRanks> of_all_ranks(const Problem& problem);

  std::shared_ptr<const OfAllRanks> all_;
};
/// Returns the groups. Calls in a row share them, since schedules are made for one rank after the
/// other.
NodeGroups node_groups(const Problem& problem);

}  // namespace gatherbench::algorithms
