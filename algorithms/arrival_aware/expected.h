// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "algorithms/algorithm.h"

// The use that algorithms make of the times at which the ranks are expected.
namespace gatherbench::algorithms {

/// Returns the ranks in the order in which they are expected, or the other way round with
/// std::ranges::greater; those at the same time, or without times, by number.
template <typename Compare = std::ranges::less>
std::vector<int> by_arrival(const Problem& problem) {
  std::vector<int> ranks(static_cast<std::size_t>(problem.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  if (problem.arrival_us.empty()) return ranks;
  std::ranges::stable_sort(ranks, Compare{}, [&](int rank) {
    return problem.arrival_us[static_cast<std::size_t>(rank)];
  });
  return ranks;
}

/// Returns true if it is known when the ranks come, and how long a block's message takes.
inline bool knows_arrivals(const Problem& problem) {
  return !problem.arrival_us.empty() && problem.message_us > 0;
}

/// Returns true if all ranks come at one time, as far as is known.
inline bool is_at_once(const Problem& problem) {
  if (!knows_arrivals(problem)) return true;
  const auto [first, last] = std::ranges::minmax(problem.arrival_us);
  return first == last;
}

/// Steps of an algorithm that is the ring where `is_ring` says so.
template <bool is_ring(const Problem&) = is_at_once>
inline constexpr Formula p_minus_1_if_at_once{"p-1 if all arrive at once",
                                              [](const Problem& problem) -> Amount {
                                                if (!is_ring(problem)) return std::nullopt;
                                                return problem.ranks - 1;
                                              }};

inline constexpr Parameter message_time{.name = "tau",
                                        .summary = "time of a block's message, 13ms, or measured",
                                        .default_value = MessageTime{}};

inline constexpr Parameter start_time{
    .name = "alpha",
    .summary = "time of a message without bytes, 20us, or measured",
    .default_value = StartTime{}};

}  // namespace gatherbench::algorithms
