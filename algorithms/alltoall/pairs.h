// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/shared/exchanges.h"

// The parts that the all-to-alls share.
namespace gatherbench::algorithms::alltoall {

/// Returns the number of the block that one rank has for another.
inline int block_for(int from, int to, int ranks) { return from * ranks + to; }

}  // namespace gatherbench::algorithms::alltoall
