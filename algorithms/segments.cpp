// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/segments.h"

#include <algorithm>

namespace gatherbench::algorithms {

Segments cut(std::span<const std::int64_t> block_bytes, const Segmentation& segmentation) {
  Segments segments;
  segments.first.reserve(block_bytes.size() + 1);
  const std::int64_t segment =
      (segmentation.bytes + segmentation.unit - 1) / segmentation.unit * segmentation.unit;
  for (const std::int64_t block : block_bytes) {
    segments.first.push_back(static_cast<int>(segments.bytes.size()));
    const std::int64_t units = block / segmentation.unit;
    for (int i = 0; i < segmentation.near_equal; ++i) {
      const std::int64_t longer = i < units % segmentation.near_equal ? 1 : 0;
      segments.bytes.push_back((units / segmentation.near_equal + longer) * segmentation.unit);
    }
    if (segmentation.near_equal > 0) {
      continue;
    }
    std::int64_t left = block;
    int number = 0;
    do {
      const bool takes_all = segment == 0 || ++number == segmentation.max_segments;
      const std::int64_t bytes = takes_all ? left : std::min(left, segment);
      segments.bytes.push_back(bytes);
      left -= bytes;
    } while (left > 0);
  }
  segments.first.push_back(static_cast<int>(segments.bytes.size()));
  return segments;
}

}  // namespace gatherbench::algorithms
