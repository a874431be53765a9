// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/segments.h"

#include <algorithm>
#include <limits>

namespace gatherbench::algorithms {
namespace {

/// Returns the length of a segment of `bytes` bytes in whole units: as many bytes, or up to a unit
/// more. Where 64 bits cannot count these, it is the longest that they can count.
std::int64_t in_whole_units(std::int64_t bytes, std::int64_t unit) {
  const std::int64_t part = bytes % unit;
  if (part == 0) return bytes;
  const std::int64_t whole = bytes - part;
  return whole > std::numeric_limits<std::int64_t>::max() - unit ? whole : whole + unit;
}

}  // namespace

Segments cut(std::span<const std::int64_t> block_bytes, const Segmentation& segmentation) {
  Segments segments;
  segments.first.reserve(block_bytes.size() + 1);
  const std::int64_t segment = in_whole_units(segmentation.bytes, segmentation.unit);
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
