// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/shared/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace gatherbench::algorithms::limits {

std::optional<std::string> unless(bool good, std::string_view what, const Problem& problem) {
  if (good) return std::nullopt;
  return fmt::format("needs {}; ranks = {}", what, problem.ranks);
}

bool is_power_of_two(int ranks) { return std::has_single_bit(static_cast<unsigned>(ranks)); }

std::optional<std::string> why_not_in_segments(const Problem& problem, int blocks) {
  std::int64_t segments = 0;
  for (int block = 0; block < blocks && segments <= max_segments; ++block) {
    segments += segments_of_block(problem, block);
  }
  if (segments <= max_segments) return std::nullopt;
  return fmt::format("needs larger segments than {} bytes: all blocks have more than {}",
                     problem.segment_bytes(), max_segments);
}

std::int64_t segments_of_block(const Problem& problem, int block) {
  // An empty one has one.
  return std::max<std::int64_t>(1, (problem.bytes(block) - 1) / problem.segment_bytes() + 1);
}

}  // namespace gatherbench::algorithms::limits
