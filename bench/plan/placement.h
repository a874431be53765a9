// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>

#include "algorithms/placement.h"
#include "bench/host/nodes.h"
#include "bench/options/options.h"

namespace gatherbench::bench {

/// The nodes that algorithms are told of, found or pretended (--ranks-per-node), and the switch
/// tree (--topology) with every rank's host in it, by the name of the rank's host, or, if nodes are
/// pretended, node i on host i. Throws InputError on every rank alike. Collective over `world`.
algorithms::Placement find_placement(const Options& options, const Nodes& nodes, MPI_Comm world);

/// The same ranks, numbered in this order.
algorithms::Placement renumber_placement(const algorithms::Placement& placement,
                                         std::span<const int> order);

}  // namespace gatherbench::bench
