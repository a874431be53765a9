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

/// Returns how many messages a transfer takes where it is not packed: one for each run of blocks
/// that lie together in the buffer that the schedule works in (Loch 2021, 4.3), whether the list of
/// blocks ascends or descends. A token, which has no block, is a message of its own. `blocks` is
/// the number of all blocks, or of all segments where the schedule cuts blocks.
std::int64_t count_messages(const algorithms::Transfer& transfer, int scratch_first_block,
                            int blocks);

/// Returns how many messages a transfer takes if blocks and ranges lie on a circle: block 0 follows
/// the last block, and the first range of the list follows the last one. So ranks whose schedules
/// are one another's, shifted, count alike. For the rank whose run goes from the last block on to
/// block 0 this is one too few.
std::int64_t count_cyclic_messages(const algorithms::Transfer& transfer, int blocks);

/// Returns true if the transfer's blocks lie in the same order, equally far apart, in two buffers
/// that hold all blocks in cyclic order from these first blocks on. Only then do both ends cut the
/// transfer into the same messages, whatever the sizes of blocks: blocks with only empty ones
/// between them lie together.
bool lies_alike(const algorithms::Transfer& transfer, int first_block, int other_first_block);

/// Returns the sizes of the blocks: those given, the one that is given for all, or one byte each.
std::vector<std::int64_t> sizes_of(std::span<const std::int64_t> given, int blocks);
std::vector<std::int64_t> sizes_of(const algorithms::Problem& problem, int blocks);

/// Returns how many blocks the algorithm's schedules move.
int blocks_moved(const algorithms::Algorithm& algorithm, int ranks);

/// The sizes of transfers, in bytes.
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
  /// Returns the number of segments of all blocks; each block is one if they stay whole.
  [[nodiscard]] int segments() const { return segments_; }

 private:
  int segments_;
  std::vector<std::int64_t> bytes_before_;  // each segment; empty: each has one byte
};

}  // namespace gatherbench::messages
