// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/places.h"

namespace gatherbench::mpi {
namespace {

constexpr int most_listed = 1 << 16;  // blocks; their list takes 1 MiB

}  // namespace

Places::Places(int blocks) {
  if (blocks <= most_listed) list_.resize(static_cast<std::size_t>(blocks));
}

Place Places::at(int block) const {
  if (!list_.empty()) return list_[static_cast<std::size_t>(block)];
  const auto found = map_.find(block);
  return found == map_.end() ? Place{} : found->second;
}

void put(const collectives::Blocks& blocks, Area area, const Layout& layout, Places& places) {
  const bool has_displacements = area == Area::receive && !layout.is_dense();
  std::int64_t offset = 0;
  for (const collectives::BlockRange& range : blocks) {
    for (int block = range.first; block < range.first + range.count; ++block) {
      if (has_displacements) offset = layout.displacement(block);
      places[block] = {area, offset};
      offset += layout.bytes(block);
    }
  }
}

void append(std::vector<Copy>& copies, const Copy& more) {
  if (!copies.empty()) {
    Copy& last = copies.back();
    if (last.from == more.from && last.from_offset + last.bytes == more.from_offset &&
        last.to == more.to && last.to_offset + last.bytes == more.to_offset &&
        last.incoming == more.incoming) {
      last.bytes += more.bytes;
      return;
    }
  }
  copies.push_back(more);
}

void append(std::vector<Piece>& pieces, std::span<const Piece> more) {
  for (const Piece& piece : more) {
    if (!pieces.empty() && pieces.back().area == piece.area &&
        pieces.back().offset + pieces.back().bytes == piece.offset) {
      pieces.back().bytes += piece.bytes;
    } else {
      pieces.push_back(piece);
    }
  }
}

std::vector<Copy> moves(const collectives::Blocks& blocks, const Layout& layout, const Places& from,
                        const Places& to) {
  std::vector<Copy> copies;
  for (const collectives::BlockRange& range : blocks) {
    for (int block = range.first; block < range.first + range.count; ++block) {
      const Place source = from.at(block);
      const Place target = to.at(block);
      const std::int64_t bytes = layout.bytes(block);
      if (bytes == 0 || source == target) continue;
      append(copies, {source.area, source.offset, target.area, target.offset, bytes});
    }
  }
  return copies;
}

}  // namespace gatherbench::mpi
