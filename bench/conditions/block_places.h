// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/options/values/displacements.h"
#include "runtime/mpi/plans/layout.h"

namespace gatherbench::bench {

/// Returns the order of the blocks of `permuted`, which depends on the number of ranks alone: ranks
/// by their binary digits read from the right, the largest first; of eight 7 3 5 1 6 2 4 0. So
/// hardly any neighbours lie together, and not all neighbours are equally far apart.
std::vector<int> permuted_ranks(int ranks);

/// Returns the layout of blocks of these sizes, one of each rank, where `displacements` has them in
/// the receive buffer. Its gaps are whole elements.
mpi::Layout place_blocks(std::span<const std::int64_t> block_bytes,
                         const Displacements& displacements, const mpi::Element& element = {});

}  // namespace gatherbench::bench
