// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/segments.h"

#include <algorithm>

namespace gatherbench {

Segments cut(std::span<const std::int64_t> block_bytes, std::int64_t segment_bytes) {
  Segments segments;
  segments.first.reserve(block_bytes.size() + 1);
  for (const std::int64_t block : block_bytes) {
    segments.first.push_back(static_cast<int>(segments.bytes.size()));
    std::int64_t left = block;
    do {
      const std::int64_t bytes = segment_bytes > 0 ? std::min(left, segment_bytes) : left;
      segments.bytes.push_back(bytes);
      left -= bytes;
    } while (left > 0);
  }
  segments.first.push_back(static_cast<int>(segments.bytes.size()));
  return segments;
}

}  // namespace gatherbench
