// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace gatherbench::bench {

/// The ranks' samples of one iteration, reduced; nanoseconds. Arrivals and exits are by the common
/// clock. Made from one rank's sample, and combined field by field.
struct Totals {
  std::int64_t min_elapsed;
  std::int64_t max_elapsed;
  std::int64_t sum_elapsed;
  std::int64_t min_arrival;
  std::int64_t max_arrival;
  std::int64_t max_exit;
  std::int64_t min_asked;       ///< arrival that the pattern asks for
  std::int64_t max_asked_exit;  ///< that, and the elapsed time
  std::int64_t max_delay_error;
  std::int64_t max_prediction_error;
  std::int64_t max_helper;
  std::int64_t max_schedule;
  std::int64_t max_behind;
  std::int64_t sum_overlapped;
  std::int64_t sum_write;
  std::int64_t sum_read;
  std::int64_t sum_cycle;
};

/// Returns the totals of two sets of ranks that have none in common.
Totals combine(const Totals& one, const Totals& other);

/// Reduces the totals of all ranks to rank 0; elsewhere they are undefined. Collective.
void reduce_to_rank_0(std::vector<Totals>& totals, MPI_Comm comm);

}  // namespace gatherbench::bench
