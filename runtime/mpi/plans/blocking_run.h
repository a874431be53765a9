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
  /// Makes ready for runs of this schedule.
  void prepare(const BoundSchedule& schedule);

  /// Runs the steps of the schedule that the background has not done; the background begins with
  /// the first step again then. Throws MpiError.
  void run(const BoundSchedule& schedule, BackgroundRun& background);
  /// Runs the schedule and takes times, as Plan::run(marks) does.
  void run(const BoundSchedule& schedule, BackgroundRun& background, std::span<std::int64_t> marks);

 private:
  /// Calls `mark` at the begin and after each part.
  template <class Mark>
  void run_parts(const BoundSchedule& schedule, BackgroundRun& background, Mark mark);

  std::vector<MPI_Request> requests_;  // requests of a step
  Copies copies_;                      // copies of a step, through the window
  std::vector<MPI_Request> left_;      // requests of steps that leave their messages on their way
};

}  // namespace gatherbench::mpi
