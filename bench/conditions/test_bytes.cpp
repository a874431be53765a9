// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/test_bytes.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace gatherbench::bench {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

/// Returns eight bytes of the pattern: a bijective mix (splitmix64) of block and position, so that
/// no two words of a run are alike.
std::uint64_t word(int number, std::size_t index) {
  std::uint64_t x = (static_cast<std::uint64_t>(number) << 40) + index + 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

constexpr std::uint64_t every_byte = 0x0101010101010101U;

/// Returns eight times the same byte, another one for each of 256 calls in a row.
std::uint64_t of_call(int call) { return static_cast<std::uint64_t>(call % 256) * every_byte; }

/// Returns eight times the byte that a uniform block has all over. 256 blocks in a row have
/// different bytes.
std::uint64_t uniform_word(int number) {
  constexpr std::uint64_t odd = 157;
  return (static_cast<std::uint64_t>(number) * odd + odd) % 256 * every_byte;
}

void fill(std::span<std::byte> block, int number, std::uint64_t flip) {
  for (std::size_t at = 0; at < block.size(); at += word_bytes) {
    const std::uint64_t value = word(number, at / word_bytes) ^ flip;
    std::memcpy(&block[at], &value, std::min(word_bytes, block.size() - at));
  }
}

}  // namespace

void fill_block(std::span<std::byte> block, int number, int call, Fill how) {
  if (how == Fill::mixed) {
    fill(block, number, of_call(call));
  } else if (!block.empty()) {
    const std::uint64_t byte = (uniform_word(number) ^ of_call(call)) & 0xffU;
    std::memset(block.data(), static_cast<int>(byte), block.size());
  }
}

void poison_block(std::span<std::byte> block, int number, int call) {
  fill(block, number, ~of_call(call));
}

std::optional<WrongByte> first_wrong_byte(std::span<const std::byte> bytes, int block, int call,
                                          Fill how) {
  const std::uint64_t uniform = uniform_word(block);
  const std::uint64_t flip = of_call(call);
  for (std::size_t at = 0; at < bytes.size(); at += word_bytes) {
    const std::uint64_t before = how == Fill::mixed ? word(block, at / word_bytes) : uniform;
    const std::uint64_t value = before ^ flip;
    const std::size_t left = bytes.size() - at;
    if (left >= word_bytes) {  // nearly always, and a comparison of that length is no call
      if (std::memcmp(&bytes[at], &value, word_bytes) == 0) continue;
    } else if (std::memcmp(&bytes[at], &value, left) == 0) {
      continue;
    }
    const std::span<const std::byte> found = bytes.subspan(at, std::min(word_bytes, left));
    std::array<std::byte, word_bytes> expected{};
    std::memcpy(expected.data(), &value, word_bytes);
    const auto differs = std::ranges::mismatch(found, expected);
    return WrongByte{block, static_cast<std::int64_t>(at) + (differs.in1 - found.begin()),
                     *differs.in2, *differs.in1};
  }
  return std::nullopt;
}

}  // namespace gatherbench::bench
