// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <limits>
#include <string>

#include "bench/duet/handshake.h"
#include "bench/duet/turns.h"
#include "bench/options/address.h"
#include "formats/metadata.h"

namespace gatherbench::bench {

/// A job's side of a duet, or that there is none.
struct Duet {
  Turns turns;
  formats::Metadata metadata = {};  ///< of the duet, for the result file; on rank 0
  std::string seed = {};            ///< that both take; on rank 0
  /// Finished cases that both files hold; without a duet there is no limit.
  std::size_t max_cases = std::numeric_limits<std::size_t>::max();
};

/// Waits for the partner, up to `timeout` seconds, and finds out whether the two are to do the
/// same; no file has been touched then. Of `own`, this job's hello, the name and the new pair are
/// filled in here; the rest is rank 0's. Throws InputError on every rank alike, std::runtime_error
/// on rank 0 if no partner comes. Collective over `world`.
Duet join_duet(const DuetAddress& address, DuetHello own, double timeout, MPI_Comm world);

}  // namespace gatherbench::bench
