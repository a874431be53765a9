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
#include "algorithms/exchanges.h"

namespace gatherbench::algorithms {
namespace {

int own_block(int from, int /*to*/, int /*ranks*/) { return from; }

Schedule from_rank_0(const Problem& problem) {
  return exchanges::all_at_once(problem, 0, own_block);
}

Schedule from_next_rank(const Problem& problem) {
  return exchanges::all_at_once(problem, problem.rank, own_block);
}

}  // namespace

extern constinit const Algorithm linear{.name = "linear",
                                        .summary = "send to all from rank 0 on, all in flight",
                                        .source = "Faraj 2006, 4.1.1.1",
                                        .can_be_inner = true,
                                        .symmetry = Symmetry::shift,
                                        .growth = Growth::linear,  // in messages, of its one step
                                        .steps = exchanges::one_step,
                                        .messages = formulas::each_block_once,
                                        .bytes = formulas::all_bytes,
                                        .schedule = from_rank_0};

extern constinit const Algorithm spread{
    .name = "spread",
    .summary = "send to all from the next rank on, all in flight",
    .source = "Faraj 2006, 4.1.1.1",
    .default_of = "Open MPI main (one node, middle and large blocks), RCCL (to 16 nodes)",
    .can_be_inner = true,
    .symmetry = Symmetry::shift,
    .growth = Growth::linear,
    .steps = exchanges::one_step,
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .schedule = from_next_rank};

}  // namespace gatherbench::algorithms
