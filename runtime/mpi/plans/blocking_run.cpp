// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/blocking_run.h"

#include <algorithm>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::mpi {

void BlockingRun::prepare(const BoundSchedule& schedule) {
  std::size_t most = 0;
  std::size_t left = 0;
  for (const BoundSchedule::Step& step : schedule.steps()) {
    most = std::max(most, step.requests());
    if (step.leaves) left += step.sends.size();
  }
  requests_.resize(most, MPI_REQUEST_NULL);
  left_.assign(left, MPI_REQUEST_NULL);
}

void BlockingRun::run(const BoundSchedule& schedule, BackgroundRun& background) {
  run_parts(schedule, background, [] {});
}

void BlockingRun::run(const BoundSchedule& schedule, BackgroundRun& background,
                      std::span<std::int64_t> marks) {
  std::int64_t* next = marks.data();
  run_parts(schedule, background, [&next] { *next++ = steady_ns(); });
}

template <class Mark>
void BlockingRun::run_parts(const BoundSchedule& schedule, BackgroundRun& background, Mark mark) {
  mark();
  schedule.copy_before();
  background.finish(schedule);
  mark();
  int left = 0;
  for (const BoundSchedule::Step& step : schedule.steps().subspan(background.take_done())) {
    if (step.barrier) require(MPI_Barrier(schedule.comm()), "MPI_Barrier");
    if (step.leaves) {
      left = schedule.post(step, left, left_);
    } else {
      schedule.communicate(step, requests_, copies_);
    }
    schedule.unpack(step);
    mark();
  }
  if (left > 0) wait_all(left_);
  schedule.copy_behind();
  if (schedule.has_broadcast()) schedule.broadcast();
  mark();
}

}  // namespace gatherbench::mpi
