// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/reduce/segment_gather.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace gatherbench::algorithms {

void add_segment_gather(Schedule& schedule, std::span<const int> members, int place) {
  const auto size = static_cast<int>(members.size());
  for (int distance = 1; distance < size; distance *= 2) {
    if ((place & distance) != 0) {
      schedule.begin_step();
      schedule.send(members[static_cast<std::size_t>(place - distance)],
                    {place, std::min(distance, size - place)});
      return;
    }
    const int child = place + distance;
    if (child >= size) continue;
    schedule.begin_step();
    schedule.receive(members[static_cast<std::size_t>(child)],
                     {child, std::min(distance, size - child)});
  }
}

std::vector<int> all_ranks(const Problem& problem) {
  std::vector<int> ranks(static_cast<std::size_t>(problem.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// Sums over the places: a place's segment goes over one link for each bit set in the place's
/// number.
std::int64_t segment_gather_bytes(const Problem& problem, int segments) {
  const Segments parts = cut(std::array{problem.bytes(0)},
                             Segmentation{.near_equal = segments, .unit = problem.element_bytes});
  std::int64_t bytes = 0;
  for (std::size_t place = 0; place < parts.bytes.size(); ++place) {
    bytes += std::popcount(place) * parts.bytes[place];
  }
  return bytes;
}

}  // namespace gatherbench::algorithms
