// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>
#include <string>

#include "algorithms/placement.h"
#include "bench/plan/contenders.h"

namespace gatherbench::bench {

/// The contenders that are one algorithm here, since every rank has the same schedule by each of
/// them and sends the same messages: "ring = sparbit; bruck = bruck:k=2". At two ranks most are.
/// Empty: there are none. Of blocks that stay whole, under each of the placements, one or more, of
/// the ranks of `comm`. Collective over it.
std::string find_same_messages(std::span<const Contender> contenders,
                               std::span<const algorithms::Placement> placements,
                               algorithms::Noncontiguous noncontiguous, MPI_Comm comm);

}  // namespace gatherbench::bench
