// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/problem.h"
#include "algorithms/schedule.h"
#include "algorithms/segments.h"

namespace gatherbench::messages {

/// Messages that a transfer takes where it is not packed, one for each run of blocks that lie
/// together in the buffer that the schedule works in (Loch 2021, 4.3). A token, which has no block,
/// is a message of its own.
/// `blocks`: how many there are, or of segments where the schedule cuts them.
std::int64_t count_messages(const algorithms::Transfer& transfer, int scratch_first_block,
                            int blocks);

/// The same on a circle, where block 0 follows the last one and the first range the last one of the
/// list: ranks whose schedules are one another's, shifted, count alike. It is one too few for the
/// rank whose run the last block cuts.
std::int64_t count_cyclic_messages(const algorithms::Transfer& transfer, int blocks);

/// The sizes of the blocks: those given, one for all of them, or one byte each.
std::vector<std::int64_t> sizes_of(std::span<const std::int64_t> given, int blocks);
std::vector<std::int64_t> sizes_of(const algorithms::Problem& problem, int blocks);

/// Returns how many blocks the algorithm's schedules move.
int blocks_moved(const algorithms::Algorithm& algorithm, int ranks);

/// The bytes of the transfers of schedules.
class TransferBytes {
 public:
  /// Takes so many whole blocks of one byte each.
  explicit TransferBytes(int blocks) : segments_(blocks) {}
  /// Takes blocks that the schedules cut in this way.
  TransferBytes(std::span<const std::int64_t> block_bytes,
                const algorithms::Segmentation& segmentation);

  [[nodiscard]] std::int64_t of(const algorithms::Transfer& transfer) const;
  /// Returns the bytes that a rank combines after the schedule's last step.
  [[nodiscard]] std::int64_t combined_at_end(const algorithms::Schedule& schedule) const;
  /// The number of segments that the blocks are cut into; each is a block if they stay whole.
  [[nodiscard]] int segments() const { return segments_; }

 private:
  int segments_;
  std::vector<std::int64_t> bytes_before_;  // each segment; empty: each has one byte
};

}  // namespace gatherbench::messages
