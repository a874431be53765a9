// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <mutex>

#include "runtime/mpi/handles.h"
#include "runtime/star/call/gather_call.h"

namespace gatherbench::star {

/// A communicator of this rank only, whose errors are returned; of one call at a time.
struct Alone {
  mpi::Communicator comm;
  std::mutex in_use;
};

/// Returns true if the MPI library refuses the call's buffers. The library is asked, by an
/// all-gather of `alone`, only where it may refuse: libraries differ in what they look at. `rank`
/// is this rank's, of so many.
[[nodiscard]] bool are_buffers_refused(const GatherCall& call, int rank, int ranks, Alone& alone);

}  // namespace gatherbench::star
