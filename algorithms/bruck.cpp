// SPDX-License-Identifier: BSD-3-Clause
//
// Bruck: in step s a rank sends the first min(2^s, p-2^s) blocks of a buffer that begins with its
// own block to the rank 2^s before it, and appends what comes from the rank 2^s behind it.
//
// Steps   ceil(log2 p), for any p; min(2^s, p-2^s) blocks in step s
// Cost    ceil(log2 p) alpha + (p-1) m/p beta, and the copies of bruck
// Limits  none
// Memory  bruck: a scratch buffer of the whole result, and a copy of all of it at the end (none on
//         rank 0, whose order is the final one). bruck_in_place: none; a range that wraps around
//         the end of the receive buffer is two ranges.
// Source  Bruck et al. 1997; Loch 2021, section 2.4.4
//
//   p = 5, rank 3, scratch   final places of bruck_in_place
//   start    3 . . . .       . . . 3 .
//   step 0   3 4 . . .       . . . 3 4
//   step 1   3 4 0 1 .       0 1 . 3 4
//   step 2   3 4 0 1 2       0 1 2 3 4
#include <algorithm>

#include "algorithms/registry.h"

namespace gatherbench::algorithms {

Schedule bruck_in_place(const Problem& problem) {
  const auto [r, p] = problem;
  Schedule schedule;
  for (int distance = 1; distance < p; distance *= 2) {
    const int count = std::min(distance, p - distance);
    schedule.begin_step();
    const int to = (r - distance + p) % p;
    for (const BlockRange blocks : CyclicRange(r, count, p)) schedule.send(to, blocks);
    const int from = (r + distance) % p;
    for (const BlockRange blocks : CyclicRange(from, count, p)) {
      schedule.receive(from, blocks);
    }
  }
  return schedule;
}

Schedule bruck(const Problem& problem) {
  Schedule schedule = bruck_in_place(problem);
  schedule.scratch_first_block = problem.rank;
  return schedule;
}

}  // namespace gatherbench::algorithms
