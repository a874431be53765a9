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

/// The plan with so many segments, with the schedules of `count` ranks from `first` on. Must not be
/// the ring. Takes time of each message of all ranks, whatever the count.
ClairvoyantPlan clairvoyant_plan(const Problem& problem, std::int64_t segments, int first,
                                 int count);

/// The numbers of segments that are tried, in increasing order: 1, 2 and 4, and more while all
/// blocks together have at most 64, but no more than a block has elements. With more than 256 ranks
/// all blocks have at most 1024 together, or one each, so that a plan takes less than 50 ms. From
/// the last arrival on it takes (N - 1 + ceil(log2 p)) / N messages, so more segments would save
/// less than a message, which is 3 % or less of the whole.
std::vector<std::int64_t> segments_to_try(const Problem& problem);

/// The plan with the one of these with the least mean exit. A message of one of N segments takes
/// alpha + (t - alpha) / N, so a block takes (N - 1) alpha longer. Only while ranks wait for a late
/// one does that cost nothing. How long they wait depends on all arrivals, for which there is no
/// formula: so the plans are made, until that of more segments takes longer.
ClairvoyantPlan best_clairvoyant_plan(const Problem& problem, int first, int count);

}  // namespace gatherbench::algorithms
