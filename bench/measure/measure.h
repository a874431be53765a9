// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <random>
#include <span>
#include <vector>

#include "bench/measure/case_result.h"
#include "bench/measure/case_settings.h"
#include "bench/measure/prepared_call.h"
#include "bench/plan/groups.h"

namespace gatherbench::bench {

/// The findings of `measure` about one algorithm.
struct Measured {
  std::string fault = {};  ///< of a timed iteration, if they are checked; on every rank
  std::vector<std::vector<Timings>> timings = {};  ///< [load][group], on rank 0
};

/// Times algorithms round by round. Collective over all groups.
/// - In a round each algorithm has a turn under each load, in an order that is shuffled anew
///   (--order interleaved). `random` has the same state on every rank.
/// - A turn is so many timed calls (--order's number). All calls of a round have the same arrival
///   times (--arrival), which each group has as if it were alone.
/// - Where others have run since an algorithm's last call, its turn begins with a call that is not
///   counted. So each timed call finds what one of its own left.
/// - Under a load of one group at a time (--groups), group k makes the calls k, k + groups, and so
///   on, while the others wait.
/// - It ends after the iterations asked for (--iterations), or at the end of a round when all are
///   precise (--precision) or the time is up (--max-time). All have the same number of iterations.
/// - Timed results are checked outside the timed region, if there are checked buffers
///   (--validation).
/// - `clock` is synchronised again now and then.
/// - With --overlap every call can be split. What loads that compute compute lasts as long as the
///   algorithm's call alone took just before: the mean over the ranks of the medians of 20 calls.
/// - Steps (--record steps) are recorded in calls after all timed ones, which so read no clock and
///   have no recorded neighbours. The k-th has the arrival times of the k-th timed one.
std::vector<Measured> measure(std::span<const std::unique_ptr<PreparedCall>> calls,
                              const CaseSettings& settings, const MeasureResources& with,
                              std::mt19937_64& random, mpi::GlobalClock& clock,
                              const GroupComms& comms);

}  // namespace gatherbench::bench
