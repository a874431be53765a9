// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/stepwise_run.h"

#include <algorithm>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/window/wait.h"

namespace gatherbench::mpi {

void StepwiseRun::prepare(const BoundSchedule& schedule) {
  std::size_t most = 1;  // of a barrier or a broadcast
  std::size_t left = 0;
  for (const BoundSchedule::Step& step : schedule.steps()) {
    most = std::max(most, step.requests());
    if (step.leaves) left += step.sends.size();
  }
  requests_.resize(most, MPI_REQUEST_NULL);
  left_.assign(left, MPI_REQUEST_NULL);
}

void StepwiseRun::begin(const BoundSchedule& schedule) {
  schedule.copy_before();
  next_ = 0;
  used_left_ = 0;
  in_barrier_ = false;
  stage_ = Stage::steps;
  go_on(schedule);
}

bool StepwiseRun::test(const BoundSchedule& schedule) {
  while (stage_ != Stage::done) {
    if (are_complete(pending_)) pending_ = {};
    (void)copies_.advance();
    if (!pending_.empty()) return false;
    if (!copies_.done()) {
      let_library_go_on(schedule.comm());
      return false;
    }
    complete(schedule);
    go_on(schedule);
  }
  return true;
}

void StepwiseRun::finish(const BoundSchedule& schedule) {
  while (stage_ != Stage::done) {
    wait_for(copies_, pending_, schedule.comm());
    complete(schedule);
    go_on(schedule);
  }
}

void StepwiseRun::complete(const BoundSchedule& schedule) {
  switch (stage_) {
    case Stage::steps:
      if (in_barrier_) break;  // its step comes next
      schedule.unpack(schedule.steps()[next_]);
      ++next_;
      break;
    case Stage::left:
      schedule.copy_behind();
      stage_ = Stage::broadcast;
      break;
    case Stage::broadcast:
      stage_ = Stage::done;
      break;
    case Stage::done:
      break;
  }
  pending_ = {};
}

void StepwiseRun::go_on(const BoundSchedule& schedule) {
  if (stage_ == Stage::steps && next_ < schedule.steps().size()) {
    return begin_step(schedule, schedule.steps()[next_]);
  }
  if (stage_ == Stage::steps) {
    stage_ = Stage::left;
    pending_ = std::span(left_).first(static_cast<std::size_t>(used_left_));
    return;
  }
  if (stage_ != Stage::broadcast || !schedule.has_broadcast()) return;
  schedule.begin_broadcast(requests_.front());
  pending_ = std::span(requests_).first(1);
}

void StepwiseRun::begin_step(const BoundSchedule& schedule, const BoundSchedule::Step& step) {
  if (step.barrier && !in_barrier_) {
    require(MPI_Ibarrier(schedule.comm(), requests_.data()), "MPI_Ibarrier");
    pending_ = std::span(requests_).first(1);
    in_barrier_ = true;
    return;
  }
  in_barrier_ = false;
  if (step.leaves) {
    used_left_ = schedule.post(step, used_left_, left_);
  } else {
    const int used = schedule.post(step, 0, requests_);
    pending_ = std::span(requests_).first(static_cast<std::size_t>(used));
    schedule.begin_copies(step, copies_);
    (void)copies_.advance();  // as far as messages are on their way when they are begun
  }
}

}  // namespace gatherbench::mpi
