// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "bench/duet/join.h"
#include "bench/options/options.h"
#include "bench/plan/setup.h"

namespace gatherbench::bench {

struct Seed {
  std::uint64_t value;
  bool is_fixed;  ///< by --seed, the file of --resume or a simulation; else drawn, may be another
};

/// Returns the seed of a launch: as given, else that of the file that --resume goes on with, else
/// drawn by rank 0, so that launches differ and what the order of the calls does averages out over
/// them. A simulation has 1 instead of a drawn one: it has no noise, and is to give the same times
/// again. Throws InputError. Collective.
Seed settle_seed(const Options& options, MPI_Comm world);

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
