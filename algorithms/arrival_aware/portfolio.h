// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "algorithms/algorithm.h"

namespace gatherbench::algorithms {

/// Returns the numbers of blocks, in increasing order, of the messages that the algorithm prices
/// beside those of one block: powers of two up to ranks/2, and ranks/2 itself, for the Bruck of
/// portfolio; none for all other algorithms.
std::vector<int> longer_messages(const Algorithm& algorithm, int ranks);

}  // namespace gatherbench::algorithms
