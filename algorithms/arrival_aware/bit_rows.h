// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Sets of small numbers as bits of words.
namespace gatherbench::algorithms::bits {

using Word = std::uint64_t;
constexpr std::size_t word_bits = 64;

constexpr std::size_t words_of(std::size_t bits) { return (bits + word_bits - 1) / word_bits; }
constexpr std::size_t word(int i) { return static_cast<std::size_t>(i) / word_bits; }
constexpr Word bit(int i) { return Word{1} << (static_cast<std::size_t>(i) % word_bits); }

inline void set(std::span<Word> words, int i) { words[word(i)] |= bit(i); }
inline void clear(std::span<Word> words, int i) { words[word(i)] &= ~bit(i); }
inline bool has(std::span<const Word> words, int i) { return (words[word(i)] & bit(i)) != 0; }

/// The lowest bit of a word that has one; the word is words[index].
inline int lowest(std::size_t index, Word word) {
  return static_cast<int>(index * word_bits) + std::countr_zero(word);
}

/// The first that is set, from i on; -1: there is none.
inline int next(std::span<const Word> words, int i) {
  std::size_t index = word(i);
  if (index >= words.size()) return -1;
  Word rest = words[index] & ~(bit(i) - 1);
  while (rest == 0) {
    if (++index == words.size()) return -1;
    rest = words[index];
  }
  return lowest(index, rest);
}

/// Returns true if a bit of the same number is set in both.
inline bool meet(std::span<const Word> one, std::span<const Word> other) {
  Word both = 0;
  for (std::size_t i = 0; i < one.size(); ++i) both |= one[i] & other[i];
  return both != 0;
}

/// One set a row.
class Rows {
 public:
  Rows(std::size_t rows, std::size_t columns) : width_(words_of(columns)), words_(rows * width_) {}
  [[nodiscard]] std::span<Word> row(int i) {
    return std::span(words_).subspan(static_cast<std::size_t>(i) * width_, width_);
  }
  [[nodiscard]] std::span<const Word> row(int i) const {
    return std::span(words_).subspan(static_cast<std::size_t>(i) * width_, width_);
  }

 private:
  std::size_t width_;
  std::vector<Word> words_;
};

}  // namespace gatherbench::algorithms::bits
