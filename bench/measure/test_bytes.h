// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mpi/layout.h"

// The bytes that are moved to check an algorithm. Each names its source rank and its position, so
// that a block in a wrong place, a shifted one and a stale one are all seen.
namespace gatherbench::bench {

/// Fills a block of `rank`.
void fill_block(std::span<std::byte> block, int rank);

/// Fills a block with bytes that are all wrong.
void spoil_block(std::span<std::byte> block, int rank);

struct WrongByte {
  int block;
  std::int64_t position;  ///< in the block
  std::byte expected;
  std::byte found;
};

/// The first byte of a receive buffer that is not what an all-gather puts there.
std::optional<WrongByte> first_wrong_byte(const std::byte* receive, const mpi::Layout& layout);

}  // namespace gatherbench::bench
