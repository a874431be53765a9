// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>

#include "bench/measure/case_result.h"

namespace gatherbench::bench {

/// The cost for an algorithm of something else that goes on at the same time (GPCNeT's impact
/// factor): its time under the last load over its time with nothing beside it, each the median over
/// the iterations of one launch, whose rounds alternate.
struct Impact {
  double idle_us;  ///< the median over the groups
  double loaded_us;
  double factor;  ///< of the group in the middle
  double least;   ///< of the group that it costs least
  double most;
};

/// Returns the impact; none if one of the two times is missing.
std::optional<Impact> impact_of(std::span<const Series> series);

/// "alone 8.10 us, beside groups 12.30: impact factor 1.52 (1.49 to 1.55)": for the line below a
/// row.
std::string text_of(const Impact& impact, const std::string& beside);

}  // namespace gatherbench::bench
