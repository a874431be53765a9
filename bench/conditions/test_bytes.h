// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

// The bytes that are moved to check an algorithm. Each names its block, its position and the call,
// so that a block in a wrong place, a shifted one and one of an earlier call are all seen.
namespace gatherbench::bench {

/// The kind of bytes in a block.
enum class Fill {
  mixed,    ///< each eight bytes differ from all others of the block: a shift is seen
  uniform,  ///< one byte all over, by memset: the least that a program's own write can cost
};

/// Fills the block of this number. Every byte is another one than in the 255 calls before.
void fill_block(std::span<std::byte> block, int number, int call = 0, Fill how = Fill::mixed);

/// Fills a block with bytes that are all wrong.
void poison_block(std::span<std::byte> block, int number, int call = 0);

struct WrongByte {
  int block;
  std::int64_t position;  ///< in the block
  std::byte expected;
  std::byte found;
};

/// Returns the first byte that is not what belongs into the block of this number in this call; none
/// if all are right.
std::optional<WrongByte> first_wrong_byte(std::span<const std::byte> bytes, int block, int call = 0,
                                          Fill how = Fill::mixed);

}  // namespace gatherbench::bench
