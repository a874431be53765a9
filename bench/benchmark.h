// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/collectives/collective.h"

namespace gatherbench::bench {

/// Runs a whole launch and returns its exit code: 0 done, 1 a wrong result, 2 bad input, 3 it could
/// not be finished. Initialises and finalises MPI.
int run_benchmark(const collectives::Collective& collective, int argc, char** argv);

}  // namespace gatherbench::bench
