// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/problem.h"
#include "algorithms/schedule.h"

// The schedule of clairvoyant, and the times at which ranks leave it.
namespace gatherbench::algorithms {

struct ClairvoyantPlan {
  std::vector<Schedule> schedules;  ///< of the ranks asked for
  std::int64_t segments;            ///< of the largest block
  double mean_exit_us;              ///< of all ranks, on the scale of problem.arrival_us
};

/// Returns true if nothing can be gained from knowing when ranks come: then clairvoyant is the
/// ring.
bool is_clairvoyant_ring(const Problem& problem);

/// Returns the plan with so many segments, with the schedules of `count` ranks from `first` on. The
/// problem must not be one for the ring (is_clairvoyant_ring). The plan takes time for each message
/// of all ranks, whatever the count.
ClairvoyantPlan clairvoyant_plan(const Problem& problem, std::int64_t segments, int first,
                                 int count);

/// Returns the numbers of segments that are tried, in increasing order: 1, 2 and 4, and more while
/// all blocks together have at most 64, but no more than a block has elements. With more than 256
/// ranks all blocks have at most 1024 together, or one each, so that a plan takes less than 50 ms.
/// N segments take the time of (N - 1 + ceil(log2 p)) / N messages from the last arrival on, so
/// more segments would save less than a message, which is 3 % or less of the whole.
std::vector<std::int64_t> segments_to_try(const Problem& problem);

/// Returns the plan with the least mean exit, of those that segments_to_try() names. A message of
/// one of N segments takes alpha + (t - alpha) / N, with t the time of a block's message, so a
/// block takes (N - 1) alpha longer. That costs nothing only while ranks wait for a late one. How
/// long they wait depends on all arrivals, for which there is no formula. So the plans are made one
/// after the other, until more segments no longer make the mean exit earlier.
ClairvoyantPlan best_clairvoyant_plan(const Problem& problem, int first, int count);

}  // namespace gatherbench::algorithms
