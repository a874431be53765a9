// SPDX-License-Identifier: BSD-3-Clause
//
// Gather to rank 0, then broadcast of everything from there.
//   gather_bcast         both in binomial trees; every rank gets its own block back
//   linear_gather_bcast  (LNBC) all ranks send to rank 0 at once; the MPI library broadcasts
//
// Steps   gather_bcast: 2 ceil(log2 p). linear_gather_bcast: 1, and those of MPI_Bcast
// Cost    2 ceil(log2 p) alpha + (p-1) c beta + ceil(log2 p) p c beta for gather_bcast with blocks
//         of c bytes (Faraj prints log2 p c beta for the gather; its last message alone is p/2 c)
// Limits  none
// Memory  none beside the receive buffer
// Source  Faraj 2006, section 4.1.1.1; Pappalardo et al., algorithm 2; Proficz 2021 (LNBC)
//
//   p = 4, blocks held   rank 0    rank 1    rank 2    rank 3
//   start                0 . . .   . 1 . .   . . 2 .   . . . 3
//   gather, distance 1   0 1 . .   . 1 . .   . . 2 3   . . . 3
//   gather, distance 2   0 1 2 3   . 1 . .   . . 2 3   . . . 3
//   bcast,  distance 2   0 1 2 3   . 1 . .   0 1 2 3   . . . 3
//   bcast,  distance 1   0 1 2 3   0 1 2 3   0 1 2 3   0 1 2 3
#include <numeric>
#include <vector>

#include "algorithms/binomial_tree.h"
#include "algorithms/registry.h"

namespace gatherbench::algorithms {

Schedule gather_bcast(const Problem& problem) {
  std::vector<int> ranks(static_cast<std::size_t>(problem.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  Schedule schedule;
  add_binomial_gather(schedule, ranks, problem.rank);
  add_binomial_broadcast(schedule, ranks, problem.rank, {0, problem.ranks});
  return schedule;
}

Schedule linear_gather_bcast(const Problem& problem) {
  Schedule schedule;
  if (problem.ranks == 1) return schedule;
  schedule.broadcast_at_end = true;
  schedule.begin_step();
  if (problem.rank != 0) {
    schedule.send(0, {problem.rank, 1});
    return schedule;
  }
  for (int r = 1; r < problem.ranks; ++r) schedule.receive(r, {r, 1});
  return schedule;
}

}  // namespace gatherbench::algorithms
