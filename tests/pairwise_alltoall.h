// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "algorithms/schedule.h"
#include "collectives/collective.h"

namespace gatherbench {

/// An all-to-all, to see that nothing but its row says what a collective is: of p^2 blocks, rank r
/// has those from r p on, one for each rank, and has to get those for it.
inline constexpr collectives::Collective alltoall{
    .name = "alltoall",
    .executable = "alltoall_bench",
    .title = "Alltoall",
    .unequal_blocks = false,
    .kind = &alltoall,
    .default_algorithms = "native",
    .blocks = [](int ranks) { return ranks * ranks; },
    .initial =
        [](int rank, int ranks) {
          return collectives::Blocks{{rank * ranks, ranks}};
        },
    .goal =
        [](int rank, int ranks) {
          collectives::Blocks column;
          for (int from = 0; from < ranks; ++from) column.push_back({from * ranks + rank, 1});
          return column;
        },
    .bandwidth_factor = {"(p-1)/p", [](int ranks) { return (ranks - 1.0) / ranks; }}};

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
