// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "runtime/star/call/gather_call.h"

namespace gatherbench::star {

/// Whether the MPI library refuses the call's buffers. Where that may be, it is asked by an
/// all-gather of `alone`, a communicator of this rank only whose errors are returned: libraries
/// differ in what they look at. `rank` is this rank's, of so many.
[[nodiscard]] bool are_buffers_refused(const GatherCall& call, int rank, int ranks, MPI_Comm alone);

}  // namespace gatherbench::star
