// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/messages/transfer_bytes.h"

#include <algorithm>
#include <numeric>

namespace gatherbench::messages {

std::vector<std::int64_t> sizes_of(std::span<const std::int64_t> given, int blocks) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(blocks), 1);
  std::ranges::copy(given, sizes.begin());
  return sizes;
}

std::vector<std::int64_t> sizes_of(const algorithms::Problem& problem, int blocks) {
  std::vector<std::int64_t> sizes;
  for (int block = 0; block < blocks; ++block) sizes.push_back(problem.bytes(block));
  return sizes;
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

}  // namespace gatherbench::messages
