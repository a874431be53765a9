// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "algorithms/algorithm.h"

namespace gatherbench::algorithms {

/// Messages of how many blocks, in increasing order, the algorithm prices beside those of one block:
/// portfolio those of Bruck, powers of two up to ranks/2 and ranks/2 itself; all others none.
std::vector<int> longer_messages(const Algorithm& algorithm, int ranks);

}  // namespace gatherbench::algorithms
