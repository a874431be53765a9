// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/collectives/references.h"

// The one table of algorithms; all_algorithms.inc has their names.
namespace gatherbench::algorithms {

/// Returns the table, in the order of all_algorithms.inc.
std::span<const Algorithm* const> algorithm_table();

/// Returns a range over all algorithms, in that order.
inline collectives::References<Algorithm> all_algorithms() {
  return collectives::References<Algorithm>(algorithm_table());
}

/// Returns the algorithms that compute this collective, or, with null, all, in the same order.
std::vector<const Algorithm*> algorithms_of(const collectives::Collective* collective);

/// Returns the names of these algorithms, in the same order. Algorithms of different collectives
/// may share a name.
std::vector<std::string_view> algorithm_names(
    const collectives::Collective* collective = &collectives::allgather);

/// Returns the algorithm of this collective with this name, or null.
const Algorithm* find_algorithm(std::string_view name,
                                const collectives::Collective& collective = collectives::allgather);

}  // namespace gatherbench::algorithms
