// SPDX-License-Identifier: BSD-3-Clause
//
// Ring (the logical ring, LR, of Faraj 2006): every rank passes on to its right neighbour the block
// that it received from its left one in the step before.
//
// Steps   p-1, one block each
// Cost    (p-1) (alpha + m/p beta), m = the size of the whole result
// Limits  none
// Memory  none beside the receive buffer
// Source  Loch 2021, section 2.4.1; Faraj 2006, section 3.3.2
//
//   p = 4, blocks held   rank 0    rank 1    rank 2    rank 3
//   start                0 . . .   . 1 . .   . . 2 .   . . . 3
//   step 0               0 . . 3   0 1 . .   . 1 2 .   . . 2 3
//   step 1               0 . 2 3   0 1 . 3   0 1 2 .   . 1 2 3
//   step 2               0 1 2 3   0 1 2 3   0 1 2 3   0 1 2 3
#include "algorithms/shared/formulas.h"

namespace gatherbench::algorithms {
namespace {

Schedule ring_schedule(const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  const int right = r + 1 < p ? r + 1 : 0;
  const int left = r > 0 ? r - 1 : p - 1;
  const auto steps = static_cast<std::size_t>(p) - 1;
  Schedule schedule;
  schedule.reserve(steps, steps, steps);
  int block = r;
  for (std::size_t s = 0; s < steps; ++s) {
    schedule.begin_step();
    schedule.send(right, {block, 1});
    block = block > 0 ? block - 1 : p - 1;
    schedule.receive(left, {block, 1});
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm ring{
    .name = "ring",
    .summary = "pass blocks on to the right neighbour",
    .source = "Loch 2021, 2.4.1; Faraj 2006, 3.3.2",
    .default_of =
        "MPICH (large blocks), Open MPI (large blocks, 32 to 511 ranks), MVAPICH (large blocks), "
        "NCCL and RCCL (large blocks)",
    .can_be_inner = true,
    .symmetry = Symmetry::shift,
    .growth = Growth::linear,
    .steps = formulas::p_minus_1,
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = ring_schedule}};

}  // namespace gatherbench::algorithms
