// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>
#include <span>
#include <vector>

#include "bench/measure/case_result.h"
#include "bench/measure/checked_buffers.h"
#include "bench/measure/measure_settings.h"
#include "bench/measure/runner.h"
#include "bench/plan/groups.h"

namespace gatherbench::bench {

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
