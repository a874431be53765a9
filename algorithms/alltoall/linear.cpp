// SPDX-License-Identifier: BSD-3-Clause
//
// Linear ("simple") and spread ("spreading simple"), all-to-all: every rank sends its block for
// each other rank to that one and receives theirs, all in flight at once. Linear goes through the
// ranks from 0 on, spread from the next neighbour on, so that not all begin with the same receiver.
//
// Steps   1, with p-1 peers
// Cost    (p-1) (alpha + c beta) for blocks of c bytes
// Limits  none
// Memory  none beside the buffers; 2 (p-1) requests
// Source  Faraj 2006, section 4.1.1
#include "algorithms/alltoall/pairs.h"

namespace gatherbench::algorithms {
namespace {

Schedule from_rank_0(const Problem& problem) {
  return exchanges::all_at_once(problem, 0, alltoall::block_for);
}

Schedule from_next_rank(const Problem& problem) {
  return exchanges::all_at_once(problem, problem.rank, alltoall::block_for);
}

}  // namespace

extern constinit const Algorithm alltoall_linear{
    .name = "linear",
    .summary = "send to all from rank 0 on, all in flight",
    .source = "Faraj 2006, 4.1.1",
    .kind = &collectives::alltoall,
    .symmetry = Symmetry::shift,
    .growth = Growth::linear,  // in messages, of its one step
    .steps = exchanges::one_step,
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .schedule = from_rank_0};

extern constinit const Algorithm alltoall_spread{
    .name = "spread",
    .summary = "send to all from the next rank on, all in flight",
    .source = "Faraj 2006, 4.1.1",
    .default_of = "MPICH (middle blocks)",
    .kind = &collectives::alltoall,
    .symmetry = Symmetry::shift,
    .growth = Growth::linear,
    .steps = exchanges::one_step,
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .schedule = from_next_rank};

}  // namespace gatherbench::algorithms
