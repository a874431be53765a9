// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>
#include <string>

#include "algorithms/placement.h"
#include "bench/plan/contenders.h"

namespace gatherbench::bench {

/// Names the contenders that are one algorithm here, since every rank has the same schedule by each
/// of them and sends the same messages: "ring = sparbit; bruck = bruck:k=2". At two ranks most are.
/// Returns an empty text if there are none. Contenders whose schedules depend on the sizes of
/// blocks are left out. `placements`, one or more, are of the ranks of `comm`; the schedules have
/// to be the same under each of them. Collective over `comm`.
std::string find_same_messages(std::span<const Contender> contenders,
                               std::span<const algorithms::Placement> placements,
                               algorithms::Noncontiguous noncontiguous, MPI_Comm comm);

}  // namespace gatherbench::bench
