// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "bench/launch.h"
#include "bench/result_rows.h"
#include "mpi/buffers.h"

namespace gatherbench {

/// The buffers of a launch, large enough for each of its cases and used by all algorithms alike.
struct CaseBuffers {
  explicit CaseBuffers(const Launch& launch)
      : send(launch.most_memory.send), receive(launch.most_memory.receive) {}
  Buffer send;
  Buffer receive;
};

/// Runs one case: prepares, checks and times every contender. The results are in the order of the
/// contenders, with times on rank 0. `placement` is that of the ranks of `comm`. `number` tells the
/// cases of a launch apart, for the seed. Collective over `comm`, in whose order the ranks are
/// numbered.
std::vector<AlgorithmResult> run_case(const Launch& launch, const Placement& placement,
                                      const Case& the_case, std::uint32_t number,
                                      const CaseBuffers& buffers, MPI_Comm comm);

}  // namespace gatherbench
