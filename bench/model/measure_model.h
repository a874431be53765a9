// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

#include "bench/model/model_fit.h"

namespace gatherbench::bench {

struct MeasuredModel {
  ModelFit fit;
  std::string times;  ///< "16x1=1.25 ...": bytes, messages, and the time in microseconds
};

/// The parameters of Hockney's model, in what a step of a schedule does: each rank sends to the
/// next and receives from the one before, all at the same time, in the order of `comm`, which has 2
/// ranks or more. The same on every rank. Takes a second, on slow networks longer. Collective.
MeasuredModel measure_model(MPI_Comm comm);

}  // namespace gatherbench::bench
