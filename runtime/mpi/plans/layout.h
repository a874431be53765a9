// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/collectives/blocks.h"
#include "runtime/mpi/plans/element.h"

namespace gatherbench::mpi {

/// How many bytes each block of a collective has, where it lies in the order of all blocks, by
/// which messages are cut, and where in a buffer that holds all of them. Bytes of data alone.
class Layout {
 public:
  /// In a buffer blocks lie one behind the other, in their order.
  explicit Layout(std::span<const std::int64_t> block_bytes) : offsets_{0} {
    offsets_.reserve(block_bytes.size() + 1);
    for (const std::int64_t bytes : block_bytes) offsets_.push_back(offsets_.back() + bytes);
  }
  /// In a receive buffer, which is of all blocks, each begins so many bytes behind the buffer's
  /// begin. They do not overlap.
  Layout(std::span<const std::int64_t> block_bytes, std::vector<std::int64_t> displacements)
      : Layout(block_bytes) {
    displacements_ = std::move(displacements);
  }
  /// The user's buffers have these elements; blocks and displacements are whole ones.
  void count_in(const Element& element) { element_ = element; }
  [[nodiscard]] const Element& element() const { return element_; }

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
  [[nodiscard]] std::int64_t total() const { return offsets_.back(); }

  [[nodiscard]] bool is_dense() const { return displacements_.empty(); }
  /// In a buffer that holds all blocks.
  [[nodiscard]] std::int64_t displacement(int block) const {
    return is_dense() ? offset(block) : displacements_[static_cast<std::size_t>(block)];
  }
  /// Of a receive buffer that holds these blocks, from its begin to the end of the last one.
  [[nodiscard]] std::int64_t extent(const collectives::Blocks& blocks) const {
    if (is_dense()) return bytes(blocks);
    std::int64_t end = 0;
    for (const auto& [first, count] : blocks) {
      for (int block = first; block < first + count; ++block) {
        end = std::max(end, displacement(block) + bytes(block));
      }
    }
    return end;
  }
  [[nodiscard]] std::int64_t extent() const { return extent({{0, blocks()}}); }
  /// Of these blocks alone, as a receive buffer holds them.
  [[nodiscard]] Layout of(const collectives::Blocks& blocks) const {
    std::vector<std::int64_t> some;
    std::vector<std::int64_t> places;
    for (const auto& [first, count] : blocks) {
      for (int block = first; block < first + count; ++block) {
        some.push_back(bytes(block));
        if (!is_dense()) places.push_back(displacement(block));
      }
    }
    Layout alone(some, std::move(places));
    alone.count_in(element_);
    return alone;
  }

 private:
  std::vector<std::int64_t> offsets_;
  Element element_;
  std::vector<std::int64_t> displacements_;  // none: blocks lie in their order
};

}  // namespace gatherbench::mpi
