// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

// The bytes that are moved to check an algorithm. Each names its block and its position, so
// that a block in a wrong place, a shifted one and a stale one are all seen.
namespace gatherbench::bench {

/// Fills the block of this number.
void fill_block(std::span<std::byte> block, int number);

/// Fills a block with bytes that are all wrong.
void poison_block(std::span<std::byte> block, int number);

struct WrongByte {
  int block;
  std::int64_t position;  ///< in the block
  std::byte expected;
  std::byte found;
};

/// The first byte that is not what belongs into the block of this number.
std::optional<WrongByte> first_wrong_byte(std::span<const std::byte> bytes, int block);

}  // namespace gatherbench::bench
