// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

// The partners of a Bine tree: distances 1, 1, 3, 5, 11, 21, ..., alternately to one side and to
// the other (De Sensi et al. 2025).
namespace gatherbench::algorithms {

/// Returns the distance to the partner of an even rank: (1 - (-2)^(s+1)) / 3, which is 1, -1, 3,
/// -5, 11, ... The partner of an odd rank is on the other side.
inline std::int64_t bine_distance(int s) {
  const std::int64_t power = std::int64_t{1} << (s + 1);
  return (1 - (s % 2 == 0 ? -power : power)) / 3;
}

/// Returns the partner of rank r of p in step s; p must be even.
inline int bine_partner(int r, int p, int s) {
  const std::int64_t signed_distance = r % 2 == 0 ? bine_distance(s) : -bine_distance(s);
  return static_cast<int>(((r + signed_distance) % p + p) % p);
}

}  // namespace gatherbench::algorithms
