// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "bench/duet/turns.h"
#include "bench/results/result_file.h"
#include "bench/setup/launch.h"

namespace gatherbench::bench {

/// A job's side of a duet, or that there is none.
struct Duet {
  Turns turns;
  formats::Metadata metadata = {};                 ///< of the duet, for the result file; on rank 0
  std::size_t most_cases = ResultFile::all_cases;  ///< that both files hold
};

/// Waits for the partner that --duet names, up to --timeout, and finds out whether the two are to
/// do the same; no file has been touched then. Without --duet there is nothing to wait for.
/// `metadata` is the launch's. Throws InputError on every rank alike, std::runtime_error on rank 0
/// if no partner comes. Collective over `world`.
Duet join_duet(const Launch& launch, const formats::Metadata& metadata, MPI_Comm world);

}  // namespace gatherbench::bench
