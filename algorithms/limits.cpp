// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/limits.h"

#include <fmt/format.h>

#include <bit>

namespace gatherbench::algorithms::limits {

std::string unless(bool good, std::string_view what, const Problem& problem) {
  return good ? std::string() : fmt::format("needs {}; ranks = {}", what, problem.ranks);
}

bool is_power_of_two(int ranks) { return std::has_single_bit(static_cast<unsigned>(ranks)); }

}  // namespace gatherbench::algorithms::limits
