// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "algorithms/algorithm.h"

// Demands of several algorithms on the number of ranks.
namespace gatherbench::algorithms::limits {

/// Returns none if `good`, else "needs WHAT; ranks = P".
std::optional<std::string> unless(bool good, std::string_view what, const Problem& problem);

bool is_power_of_two(int ranks);

/// Most segments of all blocks together. A rank takes some bytes for each, which --mem-limit does
/// not count.
inline constexpr std::int64_t max_segments = std::int64_t{1} << 20;

/// Returns why so many blocks have more in segments of problem.segment_bytes(); none if they have
/// not.
std::optional<std::string> why_not_in_segments(const Problem& problem, int blocks);

/// Returns the number of segments of problem.segment_bytes() that a block is cut into.
std::int64_t segments_of_block(const Problem& problem, int block = 0);

inline constexpr Needs power_of_two{"power-of-two p", [](const Problem& problem) {
                                      return unless(is_power_of_two(problem.ranks),
                                                    "a power-of-two number of ranks", problem);
                                    }};

}  // namespace gatherbench::algorithms::limits
