// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gatherbench::algorithms {

/// How an algorithm cuts blocks into segments that it moves one by one (Traeff et al. 2008), into
/// a short and a long part (Proficz 2021), or each into as many as the others (Traeff 2022).
struct Segmentation {
  std::int64_t bytes = 0;  ///< of a segment, but for the last one of a block; 0: blocks stay whole
  int max_segments = 0;  ///< of a block: the last one has all that is left; 0: as many as it takes
  /// Of each block, exactly: the first ones are a unit longer if it does not divide evenly. Not 0:
  /// in place of the two above.
  int near_equal = 0;
  /// Bytes that are never cut apart: those of an element, of which a block has a whole number.
  std::int64_t unit = 1;
  [[nodiscard]] bool leaves_whole() const { return bytes == 0 && near_equal == 0; }
  bool operator==(const Segmentation&) const = default;
};

/// Blocks in segments.
struct Segments {
  std::vector<int> first;           ///< number of each block's first segment; last: number of all
  std::vector<std::int64_t> bytes;  ///< of each segment

  [[nodiscard]] int count(int block) const {
    const auto b = static_cast<std::size_t>(block);
    return first[b + 1] - first[b];
  }
};

/// Each block in as many segments as it fills, the last one shorter, an empty block as one empty
/// segment; or in so many near-equal ones, an empty block as so many empty ones.
Segments cut(std::span<const std::int64_t> block_bytes, const Segmentation& segmentation);

}  // namespace gatherbench::algorithms
