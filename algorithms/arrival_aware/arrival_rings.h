// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/problem.h"

namespace gatherbench::algorithms {

/// When the last rank leaves arrival_rings at the latest, in microseconds as problem.arrival_us, by
/// blocks of mean size. Needs arrivals and the time of a message; takes O(p sqrt(p)) time.
double arrival_rings_end_us(const Problem& problem);

}  // namespace gatherbench::algorithms
