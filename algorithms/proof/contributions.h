// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/schedule.h"

namespace gatherbench::proof {

/// The ranks whose contributions each rank has combined, of each block. Blocks are segments where
/// the schedules cut them.
class Contributions {
 public:
  /// A set is a row of bits, one for each rank.
  using Set = std::vector<std::uint64_t>;

  /// All sets are empty. With `keeps_order` sets that are combined have to be neighbours, in order.
  Contributions(int ranks, std::size_t blocks, bool keeps_order);
  /// The rank has its own contribution to these blocks.
  void begin_with(int rank, const algorithms::BlockRange& blocks);
  /// The sets of the blocks that the rank sends, in their order.
  [[nodiscard]] std::vector<Set> of(int rank, const algorithms::Transfer& transfer) const;
  /// The rank has no more of what it sent.
  void hand_over(int rank, const algorithms::Transfer& transfer);
  /// These sets come to the rank. Empty, or why they must not.
  [[nodiscard]] std::string take(int rank, const algorithms::Transfer& transfer,
                                 const std::vector<Set>& sets);
  /// All ranks have contributed to what the rank has of the block.
  [[nodiscard]] bool is_whole(int rank, int block) const;

 private:
  [[nodiscard]] std::span<std::uint64_t> set(int rank, int block);
  [[nodiscard]] std::span<const std::uint64_t> set(int rank, int block) const;
  [[nodiscard]] std::string combine(std::span<std::uint64_t> own, const Set& more,
                                    algorithms::Incoming incoming) const;

  int ranks_;
  std::size_t blocks_;
  bool keeps_order_;
  std::size_t words_;                // of a set
  std::vector<std::uint64_t> bits_;  // [rank][block][word]
};

}  // namespace gatherbench::proof
