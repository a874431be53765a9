// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "bench/plan/setup.h"

namespace gatherbench::bench {

/// Notes what the cases need and what a rank may use: --mem-limit, but not more than its share of
/// its node. Throws InputError if a case, or --measure-model, needs more. Collective over `world`.
void require_memory(Setup& setup, MPI_Comm world);

}  // namespace gatherbench::bench
