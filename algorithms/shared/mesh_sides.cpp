// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/shared/mesh_sides.h"

namespace gatherbench::algorithms {

std::array<int, 2> mesh_sides_2d(int ranks) {
  std::array<int, 2> sides{};
  for (int x = 2; x * x <= ranks; ++x) {
    if (ranks % x == 0) sides = {x, ranks / x};
  }
  return sides;
}

std::array<int, 3> mesh_sides_3d(int ranks) {
  std::array<int, 3> sides{};
  int min_sum = ranks + 2;
  for (int x = 2; x * x * x <= ranks; ++x) {
    if (ranks % x != 0) continue;
    const auto [y, z] = mesh_sides_2d(ranks / x);
    if (y < x || x + y + z >= min_sum) continue;
    min_sum = x + y + z;
    sides = {x, y, z};
  }
  return sides;
}

}  // namespace gatherbench::algorithms
