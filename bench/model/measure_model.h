// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <optional>
#include <span>
#include <string>

#include "algorithms/cost/host_memory.h"
#include "bench/model/model_fit.h"

namespace gatherbench::bench {

struct MeasuredModel {
  ModelFit fit;
  std::string times;  ///< "16x1=1.25 ...": bytes, messages, and the time in microseconds
  std::optional<cost::HostMemory> memory = {};  ///< none: no node has two ranks
  WindowFit window = {};                        ///< of copies within a node
};

/// The parameters of Hockney's model, in what a step of a schedule does: each rank sends to the
/// next and receives from the one before, all at the same time, in the order of `comm`, which has 2
/// ranks or more. The memory is that of large messages: of two ranks of each node, and of all ranks
/// of each node at the same time, which `node_of_rank` numbers; the slowest node counts. The window
/// is of pairs of ranks of a node that exchange blocks by copies: so each rank copies what it sends
/// and what it receives, as in a step. The same on every rank. Takes a second, on slow networks
/// longer. Collective.
MeasuredModel measure_model(MPI_Comm comm, std::span<const int> node_of_rank);

}  // namespace gatherbench::bench
