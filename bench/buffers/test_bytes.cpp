// SPDX-License-Identifier: BSD-3-Clause
#include "bench/buffers/test_bytes.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace gatherbench::bench {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

/// The first eight bytes of a block's pattern: a bijective mix (splitmix64) of its number.
std::uint64_t first_word(int number) {
  std::uint64_t x = static_cast<std::uint64_t>(number) + 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// What each eight bytes have more than those before them: an odd number, so that no two words of a
/// block are alike. A sum can be written as fast as memory takes it, and so the write before a call
/// takes as long as a program's own would.
constexpr std::uint64_t stride = 0x9e3779b97f4a7c15U;

/// Eight times the same byte.
std::uint64_t of_call(int call) {
  constexpr std::uint64_t every_byte = 0x0101010101010101U;
  return static_cast<std::uint64_t>(call % 256) * every_byte;
}

/// The words of a cache line, which compilers write with the widest stores that they may use.
using LineOfWords [[gnu::vector_size(64)]] = std::uint64_t;

void fill(std::span<std::byte> block, int number, std::uint64_t flip) {
  constexpr std::size_t line_words = sizeof(LineOfWords) / word_bytes;
  LineOfWords words = {0, 1, 2, 3, 4, 5, 6, 7};
  words = words * stride + first_word(number);
  std::byte* next = block.data();
  std::size_t left = block.size();
  for (; left >= sizeof(LineOfWords); left -= sizeof(LineOfWords)) {
    const LineOfWords line = words ^ flip;
    std::memcpy(next, &line, sizeof(line));
    next += sizeof(line);
    words += line_words * stride;
  }
  const LineOfWords line = words ^ flip;
  std::memcpy(next, &line, left);
}

}  // namespace

void fill_block(std::span<std::byte> block, int number, int call) {
  fill(block, number, of_call(call));
}

void poison_block(std::span<std::byte> block, int number, int call) {
  fill(block, number, ~of_call(call));
}

std::optional<WrongByte> first_wrong_byte(std::span<const std::byte> bytes, int block, int call) {
  const std::uint64_t first = first_word(block);
  for (std::size_t at = 0; at < bytes.size(); at += word_bytes) {
    const std::uint64_t value = (first + at / word_bytes * stride) ^ of_call(call);
    const std::span<const std::byte> found =
        bytes.subspan(at, std::min(word_bytes, bytes.size() - at));
    if (std::memcmp(found.data(), &value, found.size()) == 0) continue;
    std::array<std::byte, word_bytes> expected{};
    std::memcpy(expected.data(), &value, word_bytes);
    const auto differs = std::ranges::mismatch(found, expected);
    return WrongByte{block, static_cast<std::int64_t>(at) + (differs.in1 - found.begin()),
                     *differs.in2, *differs.in1};
  }
  return std::nullopt;
}

}  // namespace gatherbench::bench
