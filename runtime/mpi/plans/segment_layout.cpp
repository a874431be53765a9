// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/segment_layout.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace gatherbench::mpi {
namespace {

collectives::Blocks in_segments(const collectives::Blocks& blocks,
                                const algorithms::Segments& segments) {
  collectives::Blocks cut;
  for (const collectives::BlockRange& range : blocks) {
    const int first = segments.first[static_cast<std::size_t>(range.first)];
    const int behind = range.first + range.count;
    cut.push_back({first, segments.first[static_cast<std::size_t>(behind)] - first});
  }
  return cut;
}

}  // namespace

collectives::Part in_segments(const collectives::Part& part, const algorithms::Segments& segments) {
  collectives::Part cut = part;
  for (collectives::Blocks* const blocks : {&cut.initial, &cut.goal, &cut.in_place}) {
    *blocks = in_segments(*blocks, segments);
  }
  return cut;
}

Layout layout_of(const algorithms::Segments& segments, const Layout& layout) {
  std::vector<std::int64_t> displacements;
  for (int block = 0; block < layout.blocks() && !layout.is_dense(); ++block) {
    std::int64_t next = layout.displacement(block);
    for (int i = 0; i < segments.count(block); ++i) {
      const std::size_t segment = displacements.size();
      displacements.push_back(next);
      next += segments.bytes[segment];
    }
  }
  Layout cut(segments.bytes, std::move(displacements));
  cut.count_in(layout.element());
  return cut;
}

}  // namespace gatherbench::mpi
