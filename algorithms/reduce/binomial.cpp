// SPDX-License-Identifier: BSD-3-Clause
//
// Binomial tree: the vector goes whole from rank to rank, up the tree.
//
// Steps   ceil(log2 p)
// Cost    ceil(log2 p) (alpha + m beta + m gamma)
// Limits  none
// Memory  a vector for what comes in, and one for what is combined where that is not the root
// Source  Marendic et al. 2016, section 5.5.1
//
//   p = 4, root 0   step 0: 1 to 0, 3 to 2   step 1: 2 to 0
#include "algorithms/reduce/segment_gather.h"

namespace gatherbench::algorithms {
namespace {

Schedule binomial_schedule(const Problem& problem) {
  Schedule schedule;
  for (int distance = 1; distance < problem.ranks; distance *= 2) {
    if (problem.rank % (2 * distance) == distance) {
      schedule.begin_step();
      schedule.send(problem.rank - distance, whole_vector);
      return schedule;
    }
    if (problem.rank + distance >= problem.ranks) continue;
    schedule.begin_step();
    schedule.receive(problem.rank + distance, whole_vector, Incoming::combine_behind);
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm reduce_binomial{
    .name = "binomial",
    .summary = "the whole vector up a binomial tree",
    .source = "Marendic et al. 2016, 5.5.1",
    .default_of = "MPICH (short vectors)",
    .kind = &collectives::reduce,
    .keeps_order = true,
    .growth = Growth::logarithmic,
    .steps = Formula{"ceil(log2 p)",
                     [](const Problem& problem) -> Amount {
                       return formulas::log2_ceil(problem.ranks);
                     }},
    .messages = formulas::p_minus_1,
    .bytes = vector_of_all,
    .how = Schedules{.of_rank = binomial_schedule}};

}  // namespace gatherbench::algorithms
