// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "bench/cases/groups.h"
#include "bench/duet/turns.h"
#include "bench/load/congestion.h"
#include "bench/load/load.h"
#include "bench/load/traffic.h"
#include "bench/machine/counter_recorder.h"
#include "bench/measure/call_buffers.h"
#include "bench/measure/checked_buffers.h"
#include "bench/measure/runner.h"
#include "bench/samples/case_result.h"
#include "bench/start/arrival_injection.h"
#include "bench/start/synchroniser.h"

namespace gatherbench::bench {

struct MeasureSettings {
  std::int64_t iterations = 1;
  std::int64_t warmup = 0;
  std::optional<double> precision = {};  ///< of the median's confidence interval, a fraction
  std::optional<double> max_time = {};   ///< seconds for the whole group
  std::int64_t turn = 1;                 ///< timed calls of an algorithm that follow each other
  bool record_ranks = false;
  std::int64_t recorded_calls = 0;  ///< after the timed ones, at most as many; 0: no steps
  Sync sync = Sync::barrier;
  Processing processing = {};
  Turns* turns = nullptr;          ///< with another job, round by round; null: there is none
  CallBuffers* buffers = nullptr;  ///< what is done to them before each call; null: nothing
  std::vector<Load> loads = {Load{}};
  Traffic* traffic = nullptr;        ///< of loads that have some
  Congestion* congestion = nullptr;  ///< of loads that are congested
  /// Calls of MPI_Test in the computation of loads that compute; none: calls are not begun and
  /// waited for apart.
  std::optional<std::int64_t> overlap = {};
  CounterRecorder* counters = nullptr;  ///< from the first timed call to the last; null: none
};

/// What `measure` finds of one algorithm.
struct Measured {
  std::string fault = {};  ///< of a timed iteration, if they are checked; on every rank
  std::vector<std::vector<Timings>> timings = {};  ///< [load][group], on rank 0
};

/// Times algorithms round by round: in a round each has a turn under each load, in an order that is
/// shuffled anew from `random`, which has the same state on every rank. A turn is of so many timed
/// calls. Where others have run since an algorithm's last call, its turn begins with a call that is
/// not counted, so that each timed call finds what one of its own left. Under a load of one group
/// at a time, group k makes the calls k, k + groups, and so on, while the others wait. Ends after
/// the iterations asked for, or at a round's end when all are precise or the time is up; all have
/// the same number of iterations. All of a round have the same arrival times, which each group has
/// as if it were alone. With `checked`, each timed result is checked outside the timed region.
/// `clock` is synchronised again now and then. With `overlap`, every runner can begin; what loads
/// that compute compute lasts as long as the algorithm's call alone took just before, the mean over
/// the ranks of the medians of 20 calls. Steps are recorded in calls after all timed ones, so that
/// these read no clock and have no recorded neighbours; the k-th has the arrival times of the k-th
/// timed one. Collective over all groups.
std::vector<Measured> measure(std::span<Runner> runners, const MeasureSettings& settings,
                              CheckedBuffers* checked, std::mt19937_64& random,
                              mpi::GlobalClock& clock, const GroupComms& comms);

}  // namespace gatherbench::bench
