// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "bench/duet/join.h"
#include "bench/plan/setup.h"
#include "bench/results/settle_seed.h"
#include "formats/metadata.h"

namespace gatherbench::bench {

/// Waits for the partner of --duet, and takes the seed on which both agree, in place of the own one
/// in `setup` and `metadata`; without --duet, a duet that is none. Touches no file. Throws
/// InputError on every rank alike, std::runtime_error on rank 0 if no partner comes. Collective.
Duet meet_partner(Setup& setup, const Seed& seed, formats::Metadata& metadata, MPI_Comm world);

}  // namespace gatherbench::bench
