// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "algorithms/algorithm.h"
#include "algorithms/collectives/collective.h"
#include "runtime/mpi/plans/counts.h"
#include "runtime/mpi/plans/reduction.h"

// The MPI library's own function of each collective, in each of its forms.
namespace gatherbench::bench {

struct CallArguments {
  const void* send;  ///< may be MPI_IN_PLACE
  std::byte* receive;
  const mpi::IntCounts& counts;     ///< of the blocks that the rank ends with
  const mpi::Reduction& reduction;  ///< of one that combines
  std::int64_t bytes;               ///< of all blocks
  int rank;
  int root;  ///< 0 if the collective has none
  MPI_Comm comm;
};

/// Throws MpiError.
using LibraryFunction = void(const CallArguments&);

/// A call that returns before the collective is done: its request is to be waited for, or started.
/// Throws MpiError.
using RequestFunction = MPI_Request(const CallArguments&);

struct LibraryCalls {
  const collectives::Collective& collective;
  LibraryFunction* native;
  RequestFunction* nonblocking;
  RequestFunction* persistent;  ///< null: the library has none
  /// A gather to rank 0, then a broadcast of everything; null: the collective is another.
  LibraryFunction* gather_bcast;
};

const LibraryCalls& library_calls(const collectives::Collective& collective);

/// Returns why the library lacks the call; none if it has it.
std::optional<std::string> why_not(algorithms::LibraryCall call,
                                   const collectives::Collective& collective);

}  // namespace gatherbench::bench
