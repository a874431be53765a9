// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/messages/transfer_bytes.h"

#include <algorithm>
#include <numeric>

namespace gatherbench::messages {

std::int64_t count_messages(const algorithms::Transfer& transfer, int scratch_first_block,
                            int blocks) {
  if (transfer.blocks.size() <= 1) return 1;
  std::int64_t count = 0;
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

std::vector<std::int64_t> sizes_of(std::span<const std::int64_t> given, int blocks) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(blocks),
                                  given.size() == 1 ? given.front() : 1);
  std::ranges::copy(given, sizes.begin());
  return sizes;
}

std::vector<std::int64_t> sizes_of(const algorithms::Problem& problem, int blocks) {
  std::vector<std::int64_t> sizes;
  const bool is_one = problem.block_bytes.size() == 1;
  for (int block = 0; block < blocks; ++block) sizes.push_back(problem.bytes(is_one ? 0 : block));
  return sizes;
}

int blocks_moved(const algorithms::Algorithm& algorithm, int ranks) {
  return algorithm.combines_at_end ? ranks : algorithm.kind->blocks(ranks);
}

TransferBytes::TransferBytes(std::span<const std::int64_t> block_bytes,
                             const algorithms::Segmentation& segmentation) {
  const algorithms::Segments segments = algorithms::cut(block_bytes, segmentation);
  segments_ = static_cast<int>(segments.bytes.size());
  bytes_before_.assign(segments.bytes.size() + 1, 0);
  std::partial_sum(segments.bytes.begin(), segments.bytes.end(), bytes_before_.begin() + 1);
}

std::int64_t TransferBytes::of(const algorithms::Transfer& transfer) const {
  std::int64_t sum = 0;
  for (const algorithms::BlockRange& range : transfer.blocks) {
    const auto first = static_cast<std::size_t>(range.first);
    const auto end = first + static_cast<std::size_t>(range.count);
    sum += bytes_before_.empty() ? range.count : bytes_before_[end] - bytes_before_[first];
  }
  return sum;
}

std::int64_t TransferBytes::combined_at_end(const algorithms::Schedule& schedule) const {
  if (schedule.contributions == 0) return 0;
  const algorithms::BlockRange others[] = {{1, schedule.contributions - 1}};
  return of({.peer = 0, .blocks = others});
}

}  // namespace gatherbench::messages
