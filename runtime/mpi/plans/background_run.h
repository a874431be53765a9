// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "runtime/mpi/plans/bound_schedule.h"
#include "runtime/mpi/plans/helper_thread.h"

namespace gatherbench::mpi {

/// Does the steps of a bound schedule that can run before the own block is there. Any thread may
/// use it, one at a time.
class BackgroundRun {
 public:
  /// Makes ready for runs of this schedule; nothing may have been begun.
  void prepare(const BoundSchedule& schedule);

  /// Goes on as far as that goes without waiting. Throws MpiError.
  Advance advance(const BoundSchedule& schedule);
  /// Waits for what `advance` has begun. Throws MpiError.
  void finish(const BoundSchedule& schedule);
  /// Returns the number of steps that are done.
  [[nodiscard]] std::size_t done() const { return next_; }
  /// Returns the number of steps that are done; the next `advance` begins with the first step.
  std::size_t take_done();

  /// Gives up what `advance` has begun. Returns false if a message that is sent could not be
  /// cancelled and has not ended in a second, so that its bytes have to stay where they are.
  bool abandon(const BoundSchedule& schedule) noexcept;

 private:
  void begin(const BoundSchedule& schedule);
  void end(const BoundSchedule& schedule);

  std::vector<MPI_Request> requests_;  // of all open steps
  std::vector<int> completed_;         // for MPI_Testsome
  std::size_t next_ = 0;               // step
  std::size_t open_end_ = 0;           // the steps from next_ to here have been begun
  int open_ = 0;                       // requests of the open steps
  int open_left_ = 0;                  // open requests that are incomplete
};

}  // namespace gatherbench::mpi
