// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "collectives/collective.h"
#include "mpi/counts.h"
#include "mpi/reduction.h"

// What the MPI library does for each collective, in its own words.
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

struct LibraryCalls {
  const collectives::Collective& collective;
  LibraryFunction* native;
  /// A gather to rank 0, then a broadcast of everything; null: the collective is another.
  LibraryFunction* gather_bcast;
};

const LibraryCalls& library_calls(const collectives::Collective& collective);

}  // namespace gatherbench::bench
