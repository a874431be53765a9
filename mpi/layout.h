// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/blocks.h"

namespace gatherbench::mpi {

/// How many bytes each block of a collective has, and where it lies in the order of all blocks: in
/// an all-gather, in the receive buffer.
class Layout {
 public:
  explicit Layout(std::span<const std::int64_t> block_bytes) : offsets_{0} {
    offsets_.reserve(block_bytes.size() + 1);
    for (const std::int64_t bytes : block_bytes) offsets_.push_back(offsets_.back() + bytes);
  }
  [[nodiscard]] int blocks() const { return static_cast<int>(offsets_.size()) - 1; }
  [[nodiscard]] std::int64_t offset(int block) const {
    return offsets_[static_cast<std::size_t>(block)];
  }
  [[nodiscard]] std::int64_t bytes(int block) const { return offset(block + 1) - offset(block); }
  [[nodiscard]] std::int64_t bytes(const collectives::Blocks& blocks) const {
    std::int64_t sum = 0;
    for (const auto& [first, count] : blocks) sum += offset(first + count) - offset(first);
    return sum;
  }
  [[nodiscard]] std::vector<std::int64_t> block_bytes() const {
    std::vector<std::int64_t> all;
    for (int block = 0; block < blocks(); ++block) all.push_back(bytes(block));
    return all;
  }
  /// Of these blocks alone, as a buffer holds them.
  [[nodiscard]] Layout of(const collectives::Blocks& blocks) const {
    std::vector<std::int64_t> some;
    for (const auto& [first, count] : blocks) {
      for (int block = first; block < first + count; ++block) some.push_back(bytes(block));
    }
    return Layout(some);
  }
  [[nodiscard]] std::int64_t total() const { return offsets_.back(); }

 private:
  std::vector<std::int64_t> offsets_;
};

}  // namespace gatherbench::mpi
