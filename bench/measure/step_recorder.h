// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/measure/case_result.h"
#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/plans/plan.h"

namespace gatherbench::bench {

/// Records when a rank ran each part of a plan, call by call.
class StepRecorder {
 public:
  /// `plan` must outlive it. Null: there is nothing to record, and nothing below may be called.
  explicit StepRecorder(const mpi::Plan* plan) : plan_(plan) {}

  /// Returns room for the times that the next Plan::run fills in, valid until the one after it.
  std::span<std::int64_t> next_call();
  /// Returns all calls of all ranks on rank 0, elsewhere nothing. Collective. Throws MpiError.
  [[nodiscard]] RecordedSteps gather(const mpi::GlobalClock& clock, MPI_Comm comm) const;

 private:
  const mpi::Plan* plan_;
  std::vector<std::int64_t> marks_;  // [call][mark], by the rank's own clock
};

}  // namespace gatherbench::bench
