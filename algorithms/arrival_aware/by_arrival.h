// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "algorithms/problem.h"

namespace gatherbench::algorithms {

/// The order in which the ranks are expected; those at the same time, or without times, by number.
inline std::vector<int> by_arrival(const Problem& problem) {
  std::vector<int> ranks(static_cast<std::size_t>(problem.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  if (problem.arrival_us.empty()) return ranks;
  std::ranges::stable_sort(
      ranks, {}, [&](int rank) { return problem.arrival_us[static_cast<std::size_t>(rank)]; });
  return ranks;
}

}  // namespace gatherbench::algorithms
