// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/mpi/plans/bound_schedule.h"

namespace gatherbench::mpi {

/// Runs a bound schedule as a non-blocking call, as Plan::begin, test and finish say. They throw
/// MpiError.
class StepwiseRun {
 public:
  /// Makes ready for runs of this schedule.
  void prepare(const BoundSchedule& schedule);

  void begin(const BoundSchedule& schedule);
  bool test(const BoundSchedule& schedule);
  void finish(const BoundSchedule& schedule);

 private:
  enum class Stage { steps, left, broadcast, done };

  /// Does what the pending requests were awaited for, which are complete.
  void complete(const BoundSchedule& schedule);
  /// Begins what comes after the pending requests, up to what has to be waited for.
  void go_on(const BoundSchedule& schedule);
  void begin_step(const BoundSchedule& schedule, const BoundSchedule::Step& step);

  std::vector<MPI_Request> requests_;
  std::vector<MPI_Request> left_;  // requests of steps that leave their messages on their way
  int used_left_ = 0;
  std::span<MPI_Request> pending_;
  Copies copies_;  // copies of the step, through the window
  Stage stage_ = Stage::done;
  bool in_barrier_ = false;  // the pending ones are of the barrier before the step
  std::size_t next_ = 0;     // step
};

}  // namespace gatherbench::mpi
