// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/problem.h"
#include "algorithms/schedule.h"
#include "algorithms/segments.h"

namespace gatherbench::messages {

/// The sizes of the blocks: those given, or one byte each.
std::vector<std::int64_t> sizes_of(std::span<const std::int64_t> given, int blocks);
std::vector<std::int64_t> sizes_of(const algorithms::Problem& problem, int blocks);

/// The bytes of the transfers of schedules.
class TransferBytes {
 public:
  /// Takes so many whole blocks of one byte each.
  explicit TransferBytes(int blocks) : segments_(blocks) {}
  /// Takes blocks that the schedules cut in this way.
  TransferBytes(std::span<const std::int64_t> block_bytes,
                const algorithms::Segmentation& segmentation);

  [[nodiscard]] std::int64_t of(const algorithms::Transfer& transfer) const;
  /// The number of segments that the blocks are cut into; each is a block if they stay whole.
  [[nodiscard]] int segments() const { return segments_; }

 private:
  int segments_;
  std::vector<std::int64_t> bytes_before_;  // each segment; empty: each has one byte
};

}  // namespace gatherbench::messages
