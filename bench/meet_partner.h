// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "bench/duet/join.h"
#include "bench/plan/setup.h"
#include "bench/results/settle_seed.h"

namespace gatherbench::bench {

/// A duet, or that there is none, and the seed that this job takes.
struct Met {
  Duet duet;
  std::uint64_t seed;
};

/// Waits for the partner of --duet, and agrees with it on a seed; without --duet, returns a duet
/// that is none, and the own seed. Touches no file. Throws InputError on every rank alike,
/// std::runtime_error on rank 0 if no partner comes. Collective.
Met meet_partner(const Setup& setup, const Seed& own, MPI_Comm world);

}  // namespace gatherbench::bench
