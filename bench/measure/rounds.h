// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "bench/measure/case_settings.h"

namespace gatherbench::bench {

/// Finds how many rounds run before the clock and the precision are looked at again: often enough
/// to end in time and to show progress, seldom enough not to matter. All ranks get rank 0's number,
/// since clocks differ and decisions must not. The time begins with the object.
class Rounds {
 public:
  /// The launch and the case must outlive it. With turns, rounds are cut at the end of one where
  /// the time allows.
  Rounds(const CaseSettings& settings, bool takes_turns, MPI_Comm comm);

  /// Returns how many rounds of the warm-up come next, of which `done` are done; 0: it is at its
  /// end. Collective.
  [[nodiscard]] std::int64_t next_warmup(std::int64_t done) const;
  /// Returns how many timed rounds come next; 0: there are enough, or the time is up. `enough`
  /// counts on rank 0. Collective.
  [[nodiscard]] std::int64_t next_timed(std::int64_t done, bool enough) const;

  /// Begins to learn anew what a round takes.
  void begin_timed();
  /// Learns what a round takes: so many have been run since the begin, or since `begin_timed`.
  void learn(std::int64_t done);

 private:
  [[nodiscard]] std::int64_t agree(std::int64_t rounds) const;
  [[nodiscard]] std::int64_t next(std::int64_t done, std::int64_t all, double share) const;
  [[nodiscard]] std::int64_t rounds_in(double seconds, std::int64_t done, std::int64_t left) const;
  [[nodiscard]] std::int64_t in_whole_turns(std::int64_t rounds, std::int64_t left,
                                            double elapsed) const;

  CaseSettings settings_;
  bool takes_turns_;
  MPI_Comm comm_;
  std::int64_t start_ns_;
  std::int64_t learning_since_ns_;
  double round_seconds_ = 0;
};

}  // namespace gatherbench::bench
