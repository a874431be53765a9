// SPDX-License-Identifier: BSD-3-Clause
#include "formats/trace/rank_trace.h"

#include <cmath>

namespace gatherbench::formats {

std::int64_t RankTrace::common_ns(std::int64_t own_ns) const {
  if (clock.size() < 2) return own_ns;
  const ClockPoint& before = clock[clock.size() - 2];
  const ClockPoint& last = clock.back();
  const auto gained =
      static_cast<double>((last.common_ns - before.common_ns) - (last.own_ns - before.own_ns));
  const std::int64_t since = own_ns - last.own_ns;
  const double drift = gained / static_cast<double>(last.own_ns - before.own_ns);
  return last.common_ns + since + std::llround(drift * static_cast<double>(since));
}

}  // namespace gatherbench::formats
