// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gatherbench::algorithms {

/// How blocks are cut into segments that an algorithm moves one by one (Traeff et al. 2008), or
/// into a short and a long part (Proficz 2021).
struct Segments {
  std::vector<int> first;           ///< number of each block's first segment; last: number of all
  std::vector<std::int64_t> bytes;  ///< of each segment

  [[nodiscard]] int count(int block) const {
    const auto b = static_cast<std::size_t>(block);
    return first[b + 1] - first[b];
  }
};

/// Each block in as many segments of `segment_bytes` as it fills, the last one shorter; an empty
/// block is one empty segment. With `segment_bytes` 0 each block is one segment. With
/// `most_segments` > 0 a block has no more than these, the last one taking all that is left.
Segments cut(std::span<const std::int64_t> block_bytes, std::int64_t segment_bytes,
             int most_segments = 0);

}  // namespace gatherbench::algorithms
