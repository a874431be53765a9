// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "algorithms/problem.h"

namespace gatherbench::algorithms {

/// The ranks of each node, ascending; nodes in the order of their lowest ranks.
struct NodeGroups {
  std::vector<std::vector<int>> ranks;
  int node = 0;   ///< of problem.rank
  int place = 0;  ///< of problem.rank among its node's ranks
  [[nodiscard]] int count() const { return static_cast<int>(ranks.size()); }
  [[nodiscard]] int min_ranks() const;
  [[nodiscard]] int max_ranks() const;
  /// Returns true if the ranks of every node follow each other.
  [[nodiscard]] bool contiguous() const;
};
NodeGroups node_groups(const Problem& problem);

}  // namespace gatherbench::algorithms
