// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/mpi/plans/background_run.h"
#include "runtime/mpi/plans/bound_schedule.h"

namespace gatherbench::mpi {

/// Runs a bound schedule in one call, which waits.
class BlockingRun {
 public:
  /// For runs of this schedule.
  void prepare(const BoundSchedule& schedule);

  /// What is left of it behind the steps that the background has done, which begins anew then.
  /// Throws MpiError.
  void run(const BoundSchedule& schedule, BackgroundRun& background);
  /// As Plan::run(marks).
  void run(const BoundSchedule& schedule, BackgroundRun& background, std::span<std::int64_t> marks);

 private:
  /// Calls `mark` at the begin and after each part.
  template <class Mark>
  void run_parts(const BoundSchedule& schedule, BackgroundRun& background, Mark mark);

  std::vector<MPI_Request> requests_;  // of a step
  Copies copies_;                      // of a step, through the window
  std::vector<MPI_Request> left_;      // of steps that leave their messages on their way
};

}  // namespace gatherbench::mpi
