// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "algorithms/collectives/collective.h"
#include "algorithms/schedule.h"

namespace gatherbench {

using collectives::alltoall;

/// Each rank with r+1, r+2, ... in turn.
inline std::vector<algorithms::Schedule> pairwise_alltoall(int ranks) {
  std::vector<algorithms::Schedule> schedules;
  for (int rank = 0; rank < ranks; ++rank) {
    algorithms::Schedule& schedule = schedules.emplace_back();
    for (int i = 1; i < ranks; ++i) {
      const int to = (rank + i) % ranks;
      const int from = (rank - i + ranks) % ranks;
      schedule.begin_step();
      schedule.send(to, {rank * ranks + to, 1});
      schedule.receive(from, {from * ranks + rank, 1});
    }
  }
  return schedules;
}

}  // namespace gatherbench
