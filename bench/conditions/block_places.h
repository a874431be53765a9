// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/options/values/displacements.h"
#include "runtime/mpi/plans/layout.h"

namespace gatherbench::bench {

/// The order of `permuted`, the same for a number of ranks whenever and wherever it is asked for:
/// ranks by their binary digits read from the right, the largest first; of eight 7 3 5 1 6 2 4 0.
/// So hardly any neighbours lie together, and no two ranks are as far apart as all others are.
std::vector<int> permuted_ranks(int ranks);

/// Blocks of these sizes, a rank each, where `displacements` has them in the receive buffer, whose
/// gaps are whole elements.
mpi::Layout place_blocks(std::span<const std::int64_t> block_bytes,
                         const Displacements& displacements, const mpi::Element& element = {});

}  // namespace gatherbench::bench
