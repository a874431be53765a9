// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace gatherbench::collectives {

/// Blocks [first, first + count), no wrap-around, count >= 1.
struct BlockRange {
  std::int32_t first;
  std::int32_t count;
  bool operator==(const BlockRange&) const = default;
};

/// Blocks, ascending. A buffer holds them one after the other in this order.
using Blocks = std::vector<BlockRange>;

}  // namespace gatherbench::collectives
