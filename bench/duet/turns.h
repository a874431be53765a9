// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "bench/duet/link.h"
#include "runtime/mpi/handles.h"

// The two jobs of a duet take turns. A job does everything in its turn: preparing, checking,
// timing, writing. It has the turn except within these calls.
namespace gatherbench::bench {

/// Returns rank 0's value on every rank. The others sleep until rank 0 is here, for which they look
/// every 50 us. Collective.
int broadcast_quietly(int value, MPI_Comm comm);

class Turns {
 public:
  /// Makes no duet: no call does anything, and the turn is always ours.
  Turns() = default;
  /// `link` is rank 0's. `begins`: this job has the first turn. `partner` is what messages call it.
  /// Collective over `world`.
  Turns(DuetLink link, bool begins, std::string partner, double timeout, MPI_Comm world);

  // All that follow but `is_duet` are collective over `world`. If the partner is gone, they throw
  // std::runtime_error on rank 0, all but `finish`.

  /// Waits for the first turn.
  void start() {
    if (is_duet()) wait_for_first();
  }
  /// Gives the turn away, as the next two do, and returns with the first turn at which the partner
  /// is as far or farther: has begun this case, is in this round, has ended this case. So the k-th
  /// round of a case is the k-th round of both jobs.
  void begin_case(std::int64_t number) {
    if (is_duet()) go_to(2 * number);
  }
  void begin_round() {
    if (is_duet()) next_round();
  }
  void end_case() {
    if (is_duet()) go_to(place_ + 1);
  }
  [[nodiscard]] bool is_duet() const { return comm_.get() != MPI_COMM_NULL; }
  /// Gives the turn away for good.
  void finish() {
    if (is_duet()) leave();
  }

 private:
  void wait_for_first();
  void go_to(std::int64_t place);
  void next_round();
  void exchange();
  void leave();
  bool give();
  bool take();

  DuetLink link_;
  bool begins_ = false;
  std::string partner_;
  double timeout_ = 0;
  mpi::Communicator comm_;
  int rank_ = 0;
  std::int64_t place_ = -1;  // twice the case's number, and 1 when it has ended
  std::int64_t round_ = 0;   // of the place; warm-up rounds count
};

}  // namespace gatherbench::bench
