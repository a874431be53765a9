// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mpi/byte_types.h"

namespace gatherbench::mpi {
namespace {

/// Bytes of one counted element.
std::int64_t unit_bytes(const Layout& layout) {
  if (layout.total() <= most_plain_bytes) return 1;
  std::int64_t unit = 0;
  for (int block = 0; block < layout.blocks(); ++block) {
    unit = std::gcd(unit, layout.bytes(block));
  }
  return unit;
}

}  // namespace

IntCounts::IntCounts(const Layout& layout) {
  const std::int64_t unit = unit_bytes(layout);
  if (unit > 1) {
    unit_type_ = large_type(unit);
    type_ = unit_type_.get();
  }
  for (int block = 0; block < layout.blocks(); ++block) {
    counts_.push_back(static_cast<int>(layout.bytes(block) / unit));
    offsets_.push_back(static_cast<int>(layout.offset(block) / unit));
  }
  total_ = static_cast<int>(layout.total() / unit);
}

std::string IntCounts::why_not(const Layout& layout) {
  if (layout.total() / std::max<std::int64_t>(unit_bytes(layout), 1) <= most_plain_bytes) return {};
  return fmt::format("MPI's int cannot count {} bytes of blocks without a large common divisor",
                     layout.total());
}

}  // namespace gatherbench::mpi
