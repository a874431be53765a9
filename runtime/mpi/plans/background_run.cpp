// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/background_run.h"

#include <chrono>
#include <cstdint>
#include <span>
#include <thread>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::mpi {
namespace {

/// Cancels a send, whose receiver may have given up, too. A library that cannot cancel it gets a
/// second to end it; returns false if it has not ended by then.
bool give_up_send(MPI_Request& request) noexcept {
  constexpr std::int64_t patience_ns = 1'000'000'000;
  MPI_Cancel(&request);
  const std::int64_t start = steady_ns();
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) {
    if (steady_ns() - start > patience_ns) {
      MPI_Request_free(&request);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return done != 0;
}

}  // namespace

void BackgroundRun::prepare(const BoundSchedule& schedule) {
  std::size_t requests = 0;
  for (const BoundSchedule::Step& step : schedule.steps().first(schedule.background_steps())) {
    requests += step.requests();
  }
  requests_.assign(requests, MPI_REQUEST_NULL);
  completed_.resize(requests);
  next_ = open_end_ = 0;
  open_ = open_left_ = 0;
}

Advance BackgroundRun::advance(const BoundSchedule& schedule) {
  if (open_left_ > 0) {
    int count = 0;
    require(MPI_Testsome(open_, requests_.data(), &count, completed_.data(), MPI_STATUSES_IGNORE),
            "MPI_Testsome");
    if (count == 0) return Advance::idle;
    open_left_ -= count;
    if (open_left_ > 0) return Advance::moved;
  }
  end(schedule);
  if (next_ >= schedule.background_steps()) return Advance::done;
  begin(schedule);
  return Advance::moved;
}

void BackgroundRun::finish(const BoundSchedule& schedule) {
  if (open_left_ > 0) wait_all(std::span(requests_).first(static_cast<std::size_t>(open_)));
  end(schedule);
}

std::size_t BackgroundRun::take_done() {
  const std::size_t done = next_;
  next_ = open_end_ = 0;
  return done;
}

/// Begins the next step, and with it those after it that can be open beside it.
void BackgroundRun::begin(const BoundSchedule& schedule) {
  const auto steps = schedule.steps().first(schedule.background_steps());
  open_end_ = next_;
  open_ = 0;
  do {
    const BoundSchedule::Step& step = steps[open_end_++];
    open_ = schedule.post(step, open_, requests_);
    if (step.unpacking.size() > 0) break;  // it lends its area to the next one
    // Receives alone can be open before their turn: messages of a pair come in order.
  } while (open_end_ < steps.size() && steps[open_end_].sends.size() == 0 &&
           steps[open_end_].unpacking.size() == 0);
  open_left_ = open_;
}

void BackgroundRun::end(const BoundSchedule& schedule) {
  for (; next_ < open_end_; ++next_) schedule.unpack(schedule.steps()[next_]);
  open_ = open_left_ = 0;
}

bool BackgroundRun::abandon(const BoundSchedule& schedule) noexcept {
  bool all_ended = true;
  std::size_t i = 0;
  for (; next_ < open_end_ && open_ > 0; ++next_) {
    const BoundSchedule::Step& step = schedule.steps()[next_];
    for (const std::size_t behind = i + step.receives.size(); i < behind; ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      // A message that is coming in already comes in to its end.
      if (MPI_Cancel(&requests_[i]) == MPI_SUCCESS) MPI_Wait(&requests_[i], MPI_STATUS_IGNORE);
    }
    for (const std::size_t behind = i + step.sends.size(); i < behind; ++i) {
      if (requests_[i] != MPI_REQUEST_NULL) all_ended &= give_up_send(requests_[i]);
    }
  }
  open_ = open_left_ = 0;
  return all_ended;
}

}  // namespace gatherbench::mpi
