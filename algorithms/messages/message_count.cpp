// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/messages/message_count.h"

#include <algorithm>

namespace gatherbench::messages {

std::int64_t count_messages(const algorithms::Transfer& transfer, int scratch_first_block,
                            int blocks) {
  std::int64_t count = transfer.blocks.empty() ? 1 : 0;
  int expected = -1;
  for (const algorithms::BlockRange& range : transfer.blocks) {
    const int place = (range.first - scratch_first_block + blocks) % blocks;
    if (place != expected) ++count;
    expected = place + range.count;
  }
  return count;
}

std::int64_t count_cyclic_messages(const algorithms::Transfer& transfer, int blocks) {
  std::int64_t count = 0;
  const algorithms::BlockRange* before = nullptr;
  for (const algorithms::BlockRange& range : transfer.blocks) before = &range;
  for (const algorithms::BlockRange& range : transfer.blocks) {
    if (range.first % blocks != (before->first + before->count) % blocks) ++count;
    before = &range;
  }
  return std::max<std::int64_t>(count, 1);
}

}  // namespace gatherbench::messages
