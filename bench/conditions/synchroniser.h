// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "bench/options/options.h"
#include "runtime/mpi/global_clock.h"

namespace gatherbench::bench {

/// Waits until the own steady clock shows `local_ns`.
void wait_until(std::int64_t local_ns, Wait how);

/// The time at which a rank may begin an iteration.
struct Start {
  std::int64_t local_ns;  ///< by its own steady clock
  bool missed;            ///< it came after the time that was agreed on (Sync::window)
};

/// Brings all ranks of a communicator together, in one of several ways.
class Synchroniser {
 public:
  /// Clock and communicator must outlive the synchroniser, and nothing else may use the
  /// communicator at the same time. `wait` is for the wait until the agreed time.
  Synchroniser(Sync how, Wait wait, const mpi::GlobalClock& clock, MPI_Comm comm)
      : how_(how), wait_(wait), clock_(&clock), comm_(comm) {}
  /// Returns when this rank may begin. Collective.
  Start start();

 private:
  void disseminate() const;
  Start start_by_clock();

  Sync how_;
  Wait wait_;
  const mpi::GlobalClock* clock_;
  MPI_Comm comm_;
  std::int64_t notice_ns_ = 0;  // from agreeing on a start to that start
  bool missed_ = false;
};

}  // namespace gatherbench::bench
