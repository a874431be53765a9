// SPDX-License-Identifier: BSD-3-Clause
//
// Clairvoyant all-reduce: the clairvoyant reduction to rank 0, by predicted arrivals, and then a
// binomial broadcast of the whole vector. A rank that comes late finds the others' vectors
// combined.
//
// Steps   those of the reduction, and at most ceil(log2 p)
// Cost    the reduction's, and ceil(log2 p) (alpha + m beta)
// Limits  operators that commute; without the time of a message all ranks count as there at once
// Memory  a segment for what comes in
// Source  ours, of Marendic et al. 2016, 5.4, and the broadcast of Faraj 2006, 3.4
//
//   p = 2, segments a b   rank 0        rank 1
//   round 0               b to 1        a to 0
//   round 1                             b to 0
//   broadcast             a and b to 1
#include <utility>

#include "algorithms/reduce/segment_gather.h"
#include "algorithms/schedule.h"

namespace gatherbench::algorithms {

extern const Algorithm reduce_clairvoyant;
extern const Algorithm bcast_binomial;

namespace {

/// Adds what the rank does after its part of the reduction.
void add_broadcast(Schedule& schedule, Problem problem, int rank) {
  problem.rank = rank;
  const BlockRange all{0, static_cast<int>(problem.count())};
  append_steps(
      schedule, bcast_binomial.schedules()->of_rank(problem), [](int peer) { return peer; },
      [&](std::span<const BlockRange>) { return std::span(&all, 1); });
}

Schedule clairvoyant_schedule(const Problem& problem) {
  Schedule schedule = reduce_clairvoyant.schedules()->of_rank(problem);
  add_broadcast(schedule, problem, problem.rank);
  return schedule;
}

std::vector<Schedule> clairvoyant_schedules(const Problem& problem) {
  std::vector<Schedule> schedules = reduce_clairvoyant.schedules()->of_all(problem);
  for (int rank = 0; rank < problem.ranks; ++rank) {
    add_broadcast(schedules[static_cast<std::size_t>(rank)], problem, rank);
  }
  return schedules;
}

}  // namespace

extern constinit const Algorithm allreduce_clairvoyant{
    .name = "clairvoyant",
    .summary = "the clairvoyant reduction, by predicted arrivals, and a binomial broadcast",
    .source = "ours, of Marendic et al. 2016, 5.4",
    .kind = &collectives::allreduce,
    .parameters = clairvoyant_parameters,
    .cuts_blocks = true,
    .steps = formulas::no_closed_form,
    .messages = formulas::no_closed_form,
    .bytes = formulas::no_closed_form,
    .how = ByArrivals{{.of_rank = clairvoyant_schedule, .of_all = clairvoyant_schedules}}};

}  // namespace gatherbench::algorithms
