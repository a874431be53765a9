// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "runtime/mpi/plans/byte_types.h"

namespace gatherbench::mpi {
namespace {

/// Returns the bytes of what is counted: of an element, or where int cannot count these, of the
/// largest unit that all blocks and displacements are multiples of.
std::int64_t unit_bytes(const Layout& layout) {
  const std::int64_t element = layout.element().bytes;
  if (layout.extent() / element <= max_plain_bytes) return element;
  std::int64_t unit = 0;
  for (int block = 0; block < layout.blocks(); ++block) {
    unit = std::gcd(unit, std::gcd(layout.bytes(block), layout.displacement(block)));
  }
  return unit;
}

}  // namespace

IntCounts::IntCounts(const Layout& layout)
    : element_(layout.element()), type_(element_.type(Area::receive)) {
  const std::int64_t unit = unit_bytes(layout);
  if (unit > layout.element().bytes) {
    unit_type_ = make_large_type(unit, element_);
    type_ = unit_type_.get();
  }
  for (int block = 0; block < layout.blocks(); ++block) {
    counts_.push_back(static_cast<int>(layout.bytes(block) / unit));
    offsets_.push_back(static_cast<int>(layout.displacement(block) / unit));
  }
  if (layout.is_dense()) {
    all_type_ = type_;
    all_count_ = static_cast<int>(layout.total() / unit);
    return;
  }
  std::vector<Piece> pieces;
  for (int block = 0; block < layout.blocks(); ++block) {
    if (layout.bytes(block) == 0) continue;
    pieces.push_back({Area::receive, layout.element().in_memory(layout.displacement(block)),
                      layout.bytes(block)});
  }
  pieces_type_ = make_pieces_type(pieces, element_);
  all_type_ = pieces_type_.get();
  all_count_ = 1;
}

std::optional<std::string> IntCounts::why_not(const Layout& layout) {
  if (layout.extent() / std::max<std::int64_t>(unit_bytes(layout), 1) <= max_plain_bytes) return {};
  return fmt::format("MPI's int cannot count {} bytes of blocks{} without a large common divisor",
                     layout.extent(), layout.is_dense() ? "" : " and gaps");
}

}  // namespace gatherbench::mpi
