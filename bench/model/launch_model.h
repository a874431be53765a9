// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "bench/plan/setup.h"
#include "formats/metadata.h"

namespace gatherbench::bench {

/// Measures and prints the model of --measure-model. Returns what the result file says of it:
/// nothing without the option, or with no case left to run. Collective.
formats::Metadata measure_launch_model(const Setup& setup, const formats::Metadata& metadata,
                                       MPI_Comm world);

}  // namespace gatherbench::bench
