// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/references.h"

// The one table of all-gather algorithms; all_algorithms.inc has their names.
namespace gatherbench::algorithms {

/// The table, in the order of all_algorithms.inc.
std::span<const Algorithm* const> algorithm_table();

/// A range over all of them, in that order.
inline References<Algorithm> all_algorithms() { return References<Algorithm>(algorithm_table()); }

/// Their names, in the same order.
std::vector<std::string_view> algorithm_names();

/// Null if there is none of that name.
const Algorithm* find_algorithm(std::string_view name);

}  // namespace gatherbench::algorithms
