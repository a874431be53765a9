// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/collectives/collective.h"
#include "algorithms/segments.h"
#include "runtime/mpi/plans/layout.h"

// Blocks that a schedule cuts into segments.
namespace gatherbench::mpi {

/// Returns the part with its blocks counted in segments.
[[nodiscard]] collectives::Part in_segments(const collectives::Part& part,
                                            const algorithms::Segments& segments);

/// Returns the layout of the segments: each lies in its block.
[[nodiscard]] Layout layout_of(const algorithms::Segments& segments, const Layout& layout);

}  // namespace gatherbench::mpi
