// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "bench/conditions/congestion.h"
#include "bench/plan/setup.h"

namespace gatherbench::bench {

/// Settles what the options leave to the launch, but for traffic and loads. Throws InputError.
/// Collective over `world`.
Conditions find_conditions(const Setup& setup, MPI_Comm world);

/// Several groups run together, and each alone; but without synchronisation no group can know when
/// the others rest, which is noted.
std::vector<Load> find_loads(Setup& setup, std::span<const Group> groups,
                             const Congestion& congestion);

/// Returns how many cycles follow each turn: 0 where a loop of write, call and read would not be
/// what the launch measures. The loads have to be found before. Throws InputError if cycles are
/// asked for where there can be none.
std::int64_t find_cycles(const Setup& setup);

}  // namespace gatherbench::bench
