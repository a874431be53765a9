// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/problem.h"

namespace gatherbench::algorithms {

/// Returns the latest time at which the last rank leaves arrival_rings, in microseconds as
/// problem.arrival_us, computed as if all blocks had the mean size. It needs arrivals and the time
/// of a message, and takes O(p sqrt(p)) time.
double arrival_rings_end_us(const Problem& problem);

}  // namespace gatherbench::algorithms
