// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace gatherbench::policies {

using Wide = __int128;  // a program's nanoseconds, times thousandths

/// a / b > percent / 100
inline bool exceeds(std::int64_t a, std::int64_t percent, std::int64_t b) {
  return Wide{100} * a > Wide{percent} * b;
}
/// a / b < percent / 100
inline bool is_below(std::int64_t a, std::int64_t percent, std::int64_t b) {
  return Wide{100} * a < Wide{percent} * b;
}

}  // namespace gatherbench::policies
