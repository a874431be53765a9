// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/policies/policy.h"

// Drives a policy without MPI: times come from a function.
namespace gatherbench::policies {

/// What a call takes, by its number from 0 and its candidate.
using TimeOf = std::function<std::int64_t(std::int64_t call, std::size_t candidate)>;

/// What lies between a call and the one before it, by that one's number and candidate.
using GapOf = TimeOf;

/// A call plan, and what was known when it was made.
struct Agreement {
  std::int64_t call;  // so many came before it
  CallPlan call_plan;
  std::size_t leader;
  std::int64_t excess_ns;
};

struct Replay {
  std::vector<Agreement> agreements;
  std::int64_t total_ns = 0;       // of the calls up to the limit
  std::vector<std::size_t> taken;  // the candidate of each of these
};

/// At least so many calls: the last call plan is carried to its end, unless it is longer than the
/// limit itself.
inline Replay replay(Policy& policy, std::int64_t calls, const TimeOf& time_of,
                     std::int64_t agreement_ns = 0, const GapOf& gap_of = {}) {
  Replay found;
  std::vector<std::int64_t> times;
  std::int64_t call = 0;
  while (call < calls) {
    if (found.agreements.size() > 1) policy.count_agreement(agreement_ns);
    const CallPlan call_plan = policy.next(times);
    found.agreements.push_back({call, call_plan, policy.leader(), policy.excess_ns()});
    times.clear();
    std::vector<std::int64_t> gaps;
    for (const Phase& phase : call_plan) {
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < phase.calls && call < 2 * calls; ++i, ++call) {
        const std::int64_t time = time_of(call, phase.candidate);
        sum += time;
        if (gap_of) gaps.push_back(i == 0 ? no_gap : gap_of(call - 1, phase.candidate));
        if (phase.timing != Timing::summed && phase.is_timed(i)) times.push_back(time);
        if (call >= calls) continue;
        found.total_ns += time;
        found.taken.push_back(phase.candidate);
      }
      if (phase.timing == Timing::summed) times.push_back(sum);
    }
    if (gap_of && call_plan.front().timing == Timing::each) policy.heed_gaps(gaps);
  }
  return found;
}

}  // namespace gatherbench::policies
