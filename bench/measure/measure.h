// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "bench/duet/turns.h"
#include "bench/measure/arrival_injection.h"
#include "bench/measure/call_buffers.h"
#include "bench/measure/case_result.h"
#include "bench/measure/checked_buffers.h"
#include "bench/measure/runner.h"
#include "bench/measure/synchroniser.h"

namespace gatherbench::bench {

struct MeasureSettings {
  std::int64_t iterations = 1;
  std::int64_t warmup = 0;
  std::optional<double> precision = {};  ///< of the median's confidence interval, a fraction
  std::optional<double> max_time = {};   ///< seconds for the whole group
  bool record_ranks = false;
  std::int64_t recorded_calls = 0;  ///< after the timed ones, at most as many; 0: no steps
  Sync sync = Sync::barrier;
  Processing processing = {};
  Turns* turns = nullptr;          ///< with another job, round by round; null: there is none
  CallBuffers* buffers = nullptr;  ///< what is done to them before each call; null: nothing
};

/// Times a group of algorithms round by round: in a round each runs once, in an order shuffled anew
/// from `random`, which has the same state on every rank. Ends after the iterations asked for, or
/// at a round's end when all are precise or the time is up; all have the same number of iterations.
/// All of a round have the same arrival times. With `checked`, each timed result is checked outside
/// the timed region. Steps are recorded in calls after all timed ones, so that these read no clock
/// and have no recorded neighbours; the k-th has the arrival times of the k-th timed one. `clock`
/// is synchronised again now and then. Collective.
std::vector<Timings> measure(std::span<Runner> group, const MeasureSettings& settings,
                             CheckedBuffers* checked, std::mt19937_64& random,
                             mpi::GlobalClock& clock, MPI_Comm comm);

}  // namespace gatherbench::bench
