// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/test_bytes.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace gatherbench::bench {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

/// Eight bytes of the pattern: a bijective mix (splitmix64) of rank and position, so that no two
/// words of a run are alike.
std::uint64_t word(int rank, std::size_t index) {
  std::uint64_t x = (static_cast<std::uint64_t>(rank) << 40) + index + 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

void fill(std::span<std::byte> block, int rank, std::uint64_t flip) {
  for (std::size_t at = 0; at < block.size(); at += word_bytes) {
    const std::uint64_t value = word(rank, at / word_bytes) ^ flip;
    std::memcpy(&block[at], &value, std::min(word_bytes, block.size() - at));
  }
}

}  // namespace

void fill_block(std::span<std::byte> block, int rank) { fill(block, rank, 0); }

void spoil_block(std::span<std::byte> block, int rank) { fill(block, rank, ~std::uint64_t{0}); }

std::optional<WrongByte> first_wrong_byte(const std::byte* receive, const mpi::Layout& layout) {
  for (int block = 0; block < layout.blocks(); ++block) {
    const auto bytes = static_cast<std::size_t>(layout.bytes(block));
    const std::byte* const begin = receive + layout.offset(block);
    for (std::size_t at = 0; at < bytes; at += word_bytes) {
      const std::uint64_t value = word(block, at / word_bytes);
      const std::size_t length = std::min(word_bytes, bytes - at);
      if (std::memcmp(begin + at, &value, length) == 0) continue;
      std::array<std::byte, word_bytes> expected{};
      std::memcpy(expected.data(), &value, word_bytes);
      for (std::size_t i = 0; i < length; ++i) {
        if (begin[at + i] != expected[i]) {
          return WrongByte{block, static_cast<std::int64_t>(at + i), expected[i], begin[at + i]};
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace gatherbench::bench
