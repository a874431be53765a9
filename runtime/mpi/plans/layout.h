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

/// Piece `number` of the `pieces` into which each block is cut. Blocks consist of units of `unit`
/// bytes, which are never cut apart.
struct Cut {
  std::int64_t number = 0;
  std::int64_t pieces = 1;
  std::int64_t unit = 1;
};

/// The size of each block of a collective, its offset in the order of all blocks, by which messages
/// are cut, and its displacement in a buffer that holds all of them. All are bytes of data alone.
class Layout {
 public:
  /// Makes a layout whose blocks lie in a buffer one behind the other, in their order.
  explicit Layout(std::span<const std::int64_t> block_bytes)
      : blocks_(static_cast<int>(block_bytes.size())), offsets_{0} {
    offsets_.reserve(block_bytes.size() + 1);
    for (const std::int64_t bytes : block_bytes) offsets_.push_back(offsets_.back() + bytes);
  }
  /// Makes a layout of so many blocks of as many bytes each. It takes no memory a block: an
  /// all-to-all has p^2 of them.
  Layout(int blocks, std::int64_t bytes_each) : blocks_(blocks), bytes_each_(bytes_each) {}
  /// Makes a layout for a receive buffer of all blocks, in which each begins so many bytes behind
  /// the buffer's begin. They do not overlap.
  Layout(std::span<const std::int64_t> block_bytes, std::vector<std::int64_t> displacements)
      : Layout(block_bytes) {
    displacements_ = std::move(displacements);
  }
  /// Says that the user's buffers have these elements; blocks and displacements are whole elements.
  void count_in(const Element& element) { element_ = element; }
  [[nodiscard]] const Element& element() const { return element_; }

  [[nodiscard]] int blocks() const { return blocks_; }
  [[nodiscard]] std::int64_t offset(int block) const {
    return is_equal() ? block * bytes_each_ : offsets_[static_cast<std::size_t>(block)];
  }
  /// Returns true if the layout was made with one number of bytes for all blocks.
  [[nodiscard]] bool is_equal() const { return offsets_.empty(); }
  /// Returns the bytes of each block, if is_equal().
  [[nodiscard]] std::int64_t bytes_each() const { return bytes_each_; }
  [[nodiscard]] std::int64_t bytes(int block) const { return offset(block + 1) - offset(block); }
  [[nodiscard]] std::int64_t bytes(const collectives::Blocks& blocks) const {
    std::int64_t sum = 0;
    for (const auto& [first, count] : blocks) sum += offset(first + count) - offset(first);
    return sum;
  }
  /// Returns the bytes of each block, in their order.
  [[nodiscard]] std::vector<std::int64_t> block_bytes() const {
    std::vector<std::int64_t> all;
    for (int block = 0; block < blocks(); ++block) all.push_back(bytes(block));
    return all;
  }
  [[nodiscard]] std::int64_t total() const { return offset(blocks_); }
  /// Returns the mean size of a block, rounded up; there has to be a block.
  [[nodiscard]] std::int64_t mean_bytes() const { return (total() + blocks() - 1) / blocks(); }

  [[nodiscard]] bool is_dense() const { return displacements_.empty(); }
  /// Returns the block's offset in a buffer that holds all blocks.
  [[nodiscard]] std::int64_t displacement(int block) const {
    return is_dense() ? offset(block) : displacements_[static_cast<std::size_t>(block)];
  }
  /// Returns the size of a receive buffer that holds these blocks, from its begin to the end of the
  /// last one.
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
  /// Returns the layout of these blocks alone, as a receive buffer holds them.
  [[nodiscard]] Layout of(const collectives::Blocks& blocks) const {
    if (is_equal()) {
      int count = 0;
      for (const collectives::BlockRange& range : blocks) count += range.count;
      Layout alone(count, bytes_each_);
      alone.count_in(element_);
      return alone;
    }
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

  /// Returns where the piece begins in the block; where `number` is `pieces`, the block's end.
  [[nodiscard]] std::int64_t begin_of(const Cut& piece, int block) const {
    const auto [number, pieces, unit] = piece;
    const std::int64_t units = bytes(block) / unit;
    // The product of units and number would be too large for long blocks.
    return (units / pieces * number + units % pieces * number / pieces) * unit;
  }
  /// Returns the layout of the piece of each block. They lie one behind the other; the only piece
  /// lies as its block does.
  [[nodiscard]] Layout piece(const Cut& piece) const {
    if (piece.pieces == 1) return *this;
    const auto bytes_of = [&](int block) {
      return begin_of({piece.number + 1, piece.pieces, piece.unit}, block) - begin_of(piece, block);
    };
    if (is_equal()) {
      Layout equal(blocks(), blocks() == 0 ? 0 : bytes_of(0));
      equal.count_in(element_);
      return equal;
    }
    std::vector<std::int64_t> each;
    for (int block = 0; block < blocks(); ++block) each.push_back(bytes_of(block));
    Layout unequal(each);
    unequal.count_in(element_);
    return unequal;
  }

 private:
  int blocks_;
  std::int64_t bytes_each_ = 0;        // of equal blocks
  std::vector<std::int64_t> offsets_;  // of unequal blocks
  Element element_;
  std::vector<std::int64_t> displacements_;  // none: blocks lie in their order
};

}  // namespace gatherbench::mpi
