// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench/duet/turns.h"
#include "bench/measure/arrival_injection.h"
#include "bench/measure/checked_buffers.h"
#include "bench/measure/runner.h"
#include "bench/measure/synchroniser.h"

namespace gatherbench::bench {

/// One iteration of one algorithm, over all ranks; microseconds.
struct Iteration {
  double min_us;  ///< elapsed time (exit minus arrival) of the fastest rank
  double avg_us;
  double max_us;
  double run_us;                   ///< last exit minus first arrival, by the common clock
  double imbalance_us;             ///< last arrival minus first arrival, by the common clock
  double asked_imbalance_us = 0;   ///< of the arrival pattern
  double delay_error_us = 0;       ///< largest difference of a rank's achieved and asked delay
  double prediction_error_us = 0;  ///< largest difference of a predicted and the actual arrival
  double helper_us = 0;            ///< processor time of the helper thread on the busiest rank
  bool late = false;               ///< a rank missed the agreed start: it does not count
};

/// One rank's part in an iteration; microseconds.
struct RankTimes {
  double elapsed_us;
  double asked_us;     ///< delay that the arrival pattern asked for
  double achieved_us;  ///< delay that it had
};

/// What was measured of one algorithm in one case. On rank 0; elsewhere empty but for the fault.
struct Timings {
  std::vector<Iteration> iterations;
  std::vector<RankTimes> ranks;  ///< [iteration][rank], if asked for
  std::string fault;             ///< of a timed iteration, if they are checked; on every rank
  bool predicted = false;        ///< arrivals were: what iterations say of it means something

  /// The iterations that count.
  [[nodiscard]] std::vector<Iteration> counted() const;
};

struct MeasureSettings {
  std::int64_t iterations = 1;
  std::int64_t warmup = 0;
  std::optional<double> precision = {};  ///< of the median's confidence interval, a fraction
  std::optional<double> max_time = {};   ///< seconds for the whole group
  bool record_ranks = false;
  Sync sync = Sync::barrier;
  Processing processing = {};
  Turns* turns = nullptr;  ///< with another job, round by round; null: there is none
};

/// Times a group of algorithms round by round: in a round each runs once, in an order shuffled anew
/// from `random`, which has the same state on every rank. Ends after the iterations asked for, or
/// at a round's end when all are precise or the time is up; all have the same number of iterations.
/// All of a round have the same arrival times. With `checked`, each timed result is checked outside
/// the timed region. `clock` is synchronised again now and then. Collective.
std::vector<Timings> measure(std::span<Runner> group, const MeasureSettings& settings,
                             CheckedBuffers* checked, std::mt19937_64& random,
                             mpi::GlobalClock& clock, MPI_Comm comm);

}  // namespace gatherbench::bench
