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

// Where blocks lie, and what is copied when they have to lie elsewhere.
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

/// Where a block lies; nowhere yet if the offset is negative.
struct Place {
  Area area = Area::scratch;
  std::int64_t offset = -1;
  [[nodiscard]] bool is_known() const { return offset >= 0; }
  bool operator==(const Place&) const = default;
};

/// The place of each block that a rank has to do with.
class Places {
 public:
  /// Of blocks 0 to `blocks` - 1, none of which lies anywhere yet.
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

/// Adds a copy to others; those that touch are one.
void append(std::vector<Copy>& copies, const Copy& more);

/// Adds pieces to others; those that touch are one.
void append(std::vector<Piece>& pieces, std::span<const Piece> more);

/// Copies of these blocks from where they lie to where else they have to.
[[nodiscard]] std::vector<Copy> moves(const collectives::Blocks& blocks, const Layout& layout,
                                      const Places& from, const Places& to);

}  // namespace gatherbench::mpi
