// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "algorithms/algorithm.h"

// What several algorithms demand of the number of ranks.
namespace gatherbench::algorithms::limits {

/// Empty if `good`, else "needs WHAT; ranks = P".
std::string unless(bool good, std::string_view what, const Problem& problem);

bool is_power_of_two(int ranks);

inline constexpr Needs power_of_two{"power-of-two p", [](const Problem& problem) {
                                      return unless(is_power_of_two(problem.ranks),
                                                    "a power-of-two number of ranks", problem);
                                    }};

}  // namespace gatherbench::algorithms::limits
