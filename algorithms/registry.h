// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ranges>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.h"

// The one table of all-gather algorithms; all_algorithms.inc has their names.
namespace gatherbench::algorithms {

/// The table, in the order of all_algorithms.inc.
std::span<const Algorithm* const> algorithm_table();

/// A range over all of them, in that order.
inline auto all_algorithms() {
  return algorithm_table() |
         std::views::transform([](const Algorithm* one) -> const Algorithm& { return *one; });
}

/// Their names, in the same order.
std::vector<std::string_view> algorithm_names();

/// Null if there is none of that name.
const Algorithm* find_algorithm(std::string_view name);

}  // namespace gatherbench::algorithms
