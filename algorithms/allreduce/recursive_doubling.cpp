// SPDX-License-Identifier: BSD-3-Clause
//
// Recursive doubling: in step s, partners at distance 2^s exchange the whole vectors that they have
// combined. If p is no power of two, P = 2^floor(log2 p), the first 2(p - P) ranks fold their
// vectors in pairs first, and the odd ones get the result at the end.
//
// Steps   log2 p; floor(log2 p) + 2 if p is no power of two
// Cost    log2 p (alpha + m beta + m gamma) if p is a power of two
// Limits  none: vectors that are combined are always those of neighbouring ranges of ranks
// Memory  a vector for what comes in
// Source  Thakur, Rabenseifner, Gropp 2005, section 4.5
//
//   p = 3   fold in: 1 to 0   step 0: 0 and 2 exchange   fold out: 0 to 1
#include "algorithms/reduce/reduce_scatter.h"
#include "algorithms/reduce/segment_gather.h"

namespace gatherbench::algorithms {
namespace {

Schedule recursive_doubling_schedule(const Problem& problem) {
  const FoldedRanks members(problem.ranks);
  Schedule schedule;
  members.fold_in(schedule, problem.rank, whole_vector);
  const int place = members.place_of(problem.rank);
  for (int distance = 1; distance < members.size(); distance *= 2) {
    if (members.is_out(problem.rank)) break;
    const int partner = place ^ distance;
    schedule.begin_step();
    schedule.send(members.at(partner), whole_vector);
    schedule.receive(members.at(partner), whole_vector,
                     place < partner ? Incoming::combine_behind : Incoming::combine_before);
  }
  members.fold_out(schedule, problem.rank, whole_vector);
  return schedule;
}

/// Returns the messages of all ranks: one of each member in each step, and two for each folded
/// pair.
std::int64_t messages(const Problem& problem) {
  const std::int64_t power = FoldedRanks(problem.ranks).size();
  return power * formulas::log2_ceil(power) + 2 * (problem.ranks - power);
}

}  // namespace

extern constinit const Algorithm allreduce_recursive_doubling{
    .name = "recursive_doubling",
    .summary = "exchange the whole vector at doubling distances",
    .source = "Thakur, Rabenseifner, Gropp 2005, 4.5",
    .default_of = "MPICH (short vectors), Open MPI (short vectors)",
    .kind = &collectives::allreduce,
    .keeps_order = true,
    .growth = Growth::logarithmic,
    .steps = Formula{"floor(log2 p), 2 more if p is no power of two",
                     [](const Problem& problem) -> Amount {
                       const int power = FoldedRanks(problem.ranks).size();
                       return formulas::log2_ceil(power) + (power < problem.ranks ? 2 : 0);
                     }},
    .messages = Formula{"P log2 P + 2(p-P), P = 2^floor(log2 p)",
                        [](const Problem& problem) -> Amount { return messages(problem); }},
    .bytes = Formula{"(P log2 P + 2(p-P))m",
                     [](const Problem& problem) -> Amount {
                       return messages(problem) * problem.bytes(0);
                     }},
    .how = Schedules{.of_rank = recursive_doubling_schedule}};

}  // namespace gatherbench::algorithms
