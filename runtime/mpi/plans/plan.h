// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/mpi/buffers.h"
#include "runtime/mpi/plans/background_run.h"
#include "runtime/mpi/plans/blocking_run.h"
#include "runtime/mpi/plans/bound_schedule.h"
#include "runtime/mpi/plans/helper_thread.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/reduction.h"
#include "runtime/mpi/plans/stepwise_run.h"

namespace gatherbench::mpi {

/// A lowered schedule bound to buffers and a communicator: the only code that moves blocks
/// by schedules of our own. Everything is prepared in the constructor; run() only copies and calls
/// MPI. A background thread may do the beginning of it.
class Plan {
 public:
  /// `send` may be null if the schedule was lowered in place. The buffers and the communicator must
  /// outlive the plan; nothing else may use the communicator. The plan's own buffers are of
  /// `memory`. A schedule that combines needs `reduction`. With a `window` of that communicator,
  /// blocks for ranks of the node go through shared memory; then `advance` does nothing, and the
  /// end of the last plan that has the window is collective. Plans that share a window run one at a
  /// time, in the same order on all ranks.
  Plan(const LoweredSchedule& lowered, const std::byte* send, std::byte* receive, MPI_Comm comm,
       Memory memory = Memory::own, const Reduction& reduction = {},
       std::shared_ptr<NodeWindow> window = nullptr);

  /// Runs the collective once, or what `advance` has left of it. Throws MpiError.
  void run() { blocking_.run(schedule_, background_); }

  /// The three run the collective without waiting for it: `begin` begins it, each `test` goes on as
  /// far as it can without waiting and returns true if all is done, and `finish` waits for the
  /// rest. The buffers are the plan's from `begin` to the end of `finish`. The three are called
  /// instead of `run`, when `advance` has begun nothing. They throw MpiError.
  void begin() { stepwise_.begin(schedule_); }
  bool test() { return stepwise_.test(schedule_); }
  void finish() { stepwise_.finish(schedule_); }

  /// Runs the collective once, as `run()` does, and takes the time of its parts: `marks`, of which
  /// there are marks(), get the steady clock in nanoseconds at the begin, after the copies before
  /// the first step, after each step, and after what follows the last one. `advance` must have
  /// begun nothing. Throws MpiError.
  void run(std::span<std::int64_t> marks) { blocking_.run(schedule_, background_, marks); }
  [[nodiscard]] std::size_t marks() const { return steps() + 3; }
  [[nodiscard]] std::size_t steps() const { return schedule_.steps().size(); }
  /// Throws MpiError.
  [[nodiscard]] StepMessages messages(std::size_t step) const { return schedule_.messages(step); }

  /// Makes the next runs use this schedule and these buffers, which must outlive the plan. `send`
  /// may be null if it was null before. May be called between runs, when `advance` has begun
  /// nothing.
  void bind(const LoweredSchedule& lowered, const std::byte* send, std::byte* receive);

  /// Goes on with the steps that can run before the own block is there, as far as that goes without
  /// waiting; `run` does the rest. Any thread may call it, one at a time. Throws MpiError.
  Advance advance() { return background_.advance(schedule_); }
  [[nodiscard]] std::size_t background_steps() const { return schedule_.background_steps(); }
  /// Returns the number of the background steps that are done.
  [[nodiscard]] std::size_t done_steps() const { return background_.done(); }

  /// Gives up what `advance` has begun, since `run` is not to come; no message is written to the
  /// buffers any more. The plan's own buffers are never freed if a message from them cannot be
  /// cancelled.
  void abandon() noexcept;

 private:
  BoundSchedule schedule_;
  // Three ways to run it; what they run is handed to each call, so that a plan can be moved.
  BlockingRun blocking_;
  BackgroundRun background_;
  StepwiseRun stepwise_;
};

}  // namespace gatherbench::mpi
