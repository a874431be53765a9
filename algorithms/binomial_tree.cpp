// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/binomial_tree.h"

#include <algorithm>
#include <bit>

namespace gatherbench::algorithms {
namespace {

/// Returns the members whose blocks the one at `place` collects, itself included, when it may
/// collect those of `distance` places.
std::span<const int> subtree(std::span<const int> members, int place, int distance) {
  const auto first = static_cast<std::size_t>(place);
  return members.subspan(first,
                         std::min(static_cast<std::size_t>(distance), members.size() - first));
}

}  // namespace

std::vector<BlockRange> as_ranges(std::span<const int> blocks) {
  std::vector<BlockRange> ranges;
  ranges.reserve(blocks.size());
  for (const int block : blocks) {
    if (!ranges.empty() && ranges.back().first + ranges.back().count == block) {
      ++ranges.back().count;
    } else {
      ranges.push_back({block, 1});
    }
  }
  return ranges;
}

void add_binomial_gather(Schedule& schedule, std::span<const int> members, int place) {
  const auto size = static_cast<int>(members.size());
  for (int distance = 1; distance < size; distance *= 2) {
    if ((place & distance) != 0) {
      schedule.begin_step();
      for (const BlockRange blocks : as_ranges(subtree(members, place, distance))) {
        schedule.send(members[static_cast<std::size_t>(place - distance)], blocks);
      }
      return;
    }
    const int child = place + distance;
    if (child >= size) continue;
    schedule.begin_step();
    for (const BlockRange blocks : as_ranges(subtree(members, child, distance))) {
      schedule.receive(members[static_cast<std::size_t>(child)], blocks);
    }
  }
}

void add_binomial_scatter(Schedule& schedule, std::span<const int> members, int place) {
  const auto size = static_cast<int>(members.size());
  int distance = static_cast<int>(std::bit_ceil(static_cast<unsigned>(size)));
  if (place > 0) {
    distance = 1 << std::countr_zero(static_cast<unsigned>(place));
    schedule.begin_step();
    for (const BlockRange blocks : as_ranges(subtree(members, place, distance))) {
      schedule.receive(members[static_cast<std::size_t>(place - distance)], blocks);
    }
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    const int child = place + distance;
    if (child >= size) continue;
    schedule.begin_step();
    for (const BlockRange blocks : as_ranges(subtree(members, child, distance))) {
      schedule.send(members[static_cast<std::size_t>(child)], blocks);
    }
  }
}

void add_binomial_broadcast(Schedule& schedule, std::span<const int> members, int place,
                            BlockRange blocks) {
  const auto size = static_cast<int>(members.size());
  int distance = static_cast<int>(std::bit_ceil(static_cast<unsigned>(size)));
  if (place > 0) {
    distance = 1 << std::countr_zero(static_cast<unsigned>(place));
    schedule.begin_step();
    schedule.receive(members[static_cast<std::size_t>(place - distance)], blocks);
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    const int child = place + distance;
    if (child >= size) continue;
    schedule.begin_step();
    schedule.send(members[static_cast<std::size_t>(child)], blocks);
  }
}

std::int64_t binomial_gather_blocks(std::int64_t members) {
  std::int64_t blocks = 0;
  for (std::int64_t place = 1; place < members; ++place) {
    blocks += std::min(place & -place, members - place);
  }
  return blocks;
}

}  // namespace gatherbench::algorithms
