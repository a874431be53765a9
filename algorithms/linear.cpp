// SPDX-License-Identifier: BSD-3-Clause
//
// Linear ("simple") and spread ("spreading simple"): every rank sends its block to every other rank
// and receives theirs, all in flight at once. Linear goes through the ranks from 0 on, spread from
// the next neighbour on, so that not all begin with the same receiver.
//
// Steps   1, with p-1 peers
// Cost    (p-1) (alpha + m/p beta)
// Limits  none
// Memory  none beside the receive buffer; 2 (p-1) requests
// Source  Faraj 2006, section 4.1.1.1; Pappalardo et al., algorithm 1 (there blocking)
//
//   p = 4   linear sends to     spread sends to
//   rank 0  1 2 3               1 2 3
//   rank 2  0 1 3               3 0 1
#include "algorithms/registry.h"

namespace gatherbench::algorithms {
namespace {

Schedule to_all(int r, int p, int first) {
  Schedule schedule;
  if (p == 1) return schedule;
  const auto peers = static_cast<std::size_t>(p) - 1;
  schedule.reserve(1, peers, peers);
  schedule.begin_step();
  for (int i = 0; i < p; ++i) {
    const int to = first + i < p ? first + i : first + i - p;
    if (to != r) schedule.send(to, {r, 1});
  }
  // In the order in which they are sent to this rank if all proceed alike.
  for (int i = 0; i < p; ++i) {
    const int from = first == 0 ? i : (r - i + p) % p;
    if (from != r) schedule.receive(from, {from, 1});
  }
  return schedule;
}

}  // namespace

Schedule linear(const Problem& problem) { return to_all(problem.rank, problem.ranks, 0); }

Schedule spread(const Problem& problem) {
  return to_all(problem.rank, problem.ranks, problem.rank);
}

}  // namespace gatherbench::algorithms
