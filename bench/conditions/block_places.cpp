// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/block_places.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <utility>

namespace gatherbench::bench {

std::vector<int> permuted_ranks(int ranks) {
  const auto digits = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
  const auto reversed = [digits](int rank) {
    int result = 0;
    for (int i = 0; i < digits; ++i) result |= ((rank >> i) & 1) << (digits - 1 - i);
    return result;
  };
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, std::ranges::greater{}, reversed);
  return order;
}

namespace {

/// Returns the places of the data: what lies in the elements beside it is not counted.
std::vector<std::int64_t> find_places(std::span<const std::int64_t> block_bytes,
                                      const Displacements& displacements,
                                      const mpi::Element& element) {
  std::vector<int> order(block_bytes.size());
  std::iota(order.begin(), order.end(), 0);
  if (displacements.permuted) order = permuted_ranks(static_cast<int>(order.size()));
  std::vector<std::int64_t> places(block_bytes.size());
  const std::int64_t gap = displacements.gap / element.extent * element.bytes;
  std::int64_t end = 0;
  for (const int block : order) {
    const auto index = static_cast<std::size_t>(block);
    places[index] = end + gap;
    end = places[index] + block_bytes[index];
  }
  return places;
}

}  // namespace

mpi::Layout place_blocks(std::span<const std::int64_t> block_bytes,
                         const Displacements& displacements, const mpi::Element& element) {
  std::vector<std::int64_t> places;
  if (displacements != Displacements{}) {
    places = find_places(block_bytes, displacements, element);
  }
  mpi::Layout layout(block_bytes, std::move(places));
  layout.count_in(element);
  return layout;
}

}  // namespace gatherbench::bench
