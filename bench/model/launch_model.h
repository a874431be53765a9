// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "bench/plan/setup.h"
#include "formats/metadata.h"

namespace gatherbench::bench {

/// Measures the model of --measure-model and prints it; what the result file is to say of it.
/// Without the option, or with no case left to run, nothing. Collective.
formats::Metadata measure_launch_model(const Setup& setup, const formats::Metadata& metadata,
                                       MPI_Comm world);

}  // namespace gatherbench::bench
