// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gatherbench::algorithms {

/// The cut of blocks into segments that an algorithm moves one by one (Traeff et al. 2008), into a
/// short and a long part (Proficz 2021), or of each block into as many as the others (Traeff 2022).
struct Segmentation {
  std::int64_t bytes = 0;  ///< of a segment, but for the last one of a block; 0: blocks stay whole
  int max_segments = 0;    ///< most segments of a block, whose last one has the rest; 0: no limit
  /// Number of segments of each block; if it is not 0, the two members above are ignored. The first
  /// segments are a unit longer where the block does not divide evenly.
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

/// Cuts each block into segments of `segmentation`. An empty block becomes one empty segment, or
/// with near_equal so many empty ones.
Segments cut(std::span<const std::int64_t> block_bytes, const Segmentation& segmentation);

}  // namespace gatherbench::algorithms
