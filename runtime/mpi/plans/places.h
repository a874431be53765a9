// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "algorithms/schedule.h"
#include "runtime/mpi/plans/layout.h"

// Places of blocks, and copies of those that have to lie elsewhere.
namespace gatherbench::mpi {

enum class Area : std::uint8_t {
  send,     ///< the caller's send buffer: blocks held before
  receive,  ///< the caller's receive buffer: blocks at their final places
  scratch,  ///< blocks in the order the schedule asks for, or those that only pass through
  packed,   ///< messages made of several runs of blocks, if these are packed; what is combined
};

/// Bytes [offset, offset + bytes) of an area.
struct Piece {
  Area area;
  std::int64_t offset;
  std::int64_t bytes;
};

/// Bytes that are copied, or combined with those that are there.
struct Copy {
  Area from;
  std::int64_t from_offset;
  Area to;
  std::int64_t to_offset;
  std::int64_t bytes;
  algorithms::Incoming incoming = algorithms::Incoming::store;
};

/// The place of a block; a negative offset: it has none yet.
struct Place {
  Area area = Area::scratch;
  std::int64_t offset = -1;
  [[nodiscard]] bool is_known() const { return offset >= 0; }
  bool operator==(const Place&) const = default;
};

/// The place of each block that a rank has to do with.
class Places {
 public:
  /// Makes places for blocks 0 to `blocks` - 1, none of which lies anywhere yet.
  explicit Places(int blocks);

  [[nodiscard]] Place& operator[](int block) {
    return list_.empty() ? map_[block] : list_[static_cast<std::size_t>(block)];
  }
  [[nodiscard]] Place at(int block) const;

 private:
  // A rank has to do with few of an all-to-all's p^2 blocks; a list of fewer blocks is faster.
  std::vector<Place> list_;  // empty: they are in map_
  std::unordered_map<int, Place> map_;
};

/// Places these blocks in an area, one after the other unless the layout has displacements.
void put(const collectives::Blocks& blocks, Area area, const Layout& layout, Places& places);

/// Adds a copy to others; copies that touch become one.
void append(std::vector<Copy>& copies, const Copy& more);

/// Adds pieces to others; pieces that touch become one.
void append(std::vector<Piece>& pieces, std::span<const Piece> more);

/// Returns the copies that bring these blocks from one place to the other.
[[nodiscard]] std::vector<Copy> moves(const collectives::Blocks& blocks, const Layout& layout,
                                      const Places& from, const Places& to);

}  // namespace gatherbench::mpi
