// SPDX-License-Identifier: BSD-3-Clause
//
// Clairvoyant all-gather: who is there passes on all that is there, while late ranks still compute.
// Blocks are cut into parts. From the first arrival on, time goes in slots of one part's message.
// In each slot as many ranks as possible send a part and receive one, the rarest parts first; a
// rank that has not come yet receives, too, and passes on what it has received, by its helper
// thread. Only its own block waits for it.
//
//   slot   s may send a part to r if s holds it, r lacks it, and it is not of s's own block
//          before s has come; of equally rare ones that of the rank that comes last goes first
//   match  greedily by rarity, then by augmenting paths, the shortest first, until no more ranks
//          can take part
//
// Steps   p-1 if arrivals differ by less than a message: it is the ring, in whole blocks, since
//         nothing is faster then. Else as many slots as the arrivals ask for
// Cost    if the last rank is late by all that the others have to exchange: ceil(log2 p) messages
//         after it has come, or about (segments - 1 + ceil(log2 p)) / segments in parts
// Limits  up to 1024 ranks; without the time of a message it is the ring
// Memory  none beside the receive buffer. All p^2 segments messages are planned by each rank, which
//         takes 40 to 50 ns of its processor for each, and less than twice that to choose how many
//         segments
// Source  after the reduction of Marendic et al. 2016, section 5.4 (Clairvoyant), and Proficz 2021
//
//   p = 4, rank 0 late by two messages, whole blocks; what is sent
//            rank 0    rank 1    rank 2    rank 3
//   slot 0             1 to 2    2 to 1    3 to 0
//   slot 1   3 to 1    2 to 3    2 to 0    3 to 2     rank 0 still computes
//   slot 2   0 to 1    1 to 0    1 to 3
//   slot 3   0 to 3    0 to 2                         the ring takes one more
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/arrival_aware/clairvoyant_plan.h"
#include "algorithms/arrival_aware/clairvoyant_slots.h"
#include "algorithms/arrival_aware/expected.h"
#include "algorithms/registry.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"

namespace gatherbench::algorithms {
namespace {

constexpr int max_ranks = 1024;
constexpr std::int64_t max_segments = 64;

const Algorithm& ring() { return *find_algorithm("ring"); }

/// Returns the plan with as many segments as asked for, or the best number of them.
ClairvoyantPlan plan(const Problem& problem, int first, int count) {
  return problem.count() > 0 ? clairvoyant_plan(problem, problem.count(), first, count)
                             : best_clairvoyant_plan(problem, first, count);
}

/// Returns a schedule of whole blocks as one of parts: each block is one part.
Schedule whole(Schedule schedule, const Problem& problem) {
  schedule.segmentation = {.bytes = std::max<std::int64_t>(problem.largest_bytes(), 1)};
  return schedule;
}

Schedule clairvoyant_schedule(const Problem& problem) {
  if (is_clairvoyant_ring(problem)) return whole(ring().schedules()->of_rank(problem), problem);
  return std::move(plan(problem, problem.rank, 1).schedules.front());
}

// Makes all schedules at once, since the slots of one rank take as long as those of all.
std::vector<Schedule> clairvoyant_schedules(const Problem& problem) {
  if (!is_clairvoyant_ring(problem)) return plan(problem, 0, problem.ranks).schedules;
  std::vector<Schedule> schedules = make_schedules(ring(), problem);
  for (Schedule& one : schedules) one = whole(std::move(one), problem);
  return schedules;
}

Amount messages(const Problem& problem) {
  const std::int64_t p = problem.ranks;
  if (is_clairvoyant_ring(problem)) return p * (p - 1);
  const std::int64_t segments =
      problem.count() > 0 ? problem.count() : plan(problem, 0, 0).segments;
  return p * (p - 1) * Slots(problem, segments).segments().count(0);
}

std::optional<std::string> why_not_so_many_ranks(const Problem& problem) {
  return limits::unless(problem.ranks <= max_ranks, "at most 1024 ranks", problem);
}

}  // namespace

extern constinit const Algorithm clairvoyant{
    .name = "clairvoyant",
    .summary = "early ranks spread all that is there, through late ones too, rarest parts first",
    .source = "after Marendic et al. 2016, 5.4; Proficz 2021",
    .needs = Needs{"p <= 1024", why_not_so_many_ranks},
    .parameters = {{.name = "segments",
                    .summary = "parts of the largest block, 1 to 64, or auto",
                    .default_value = Count{0},
                    .max_text = "64",
                    .max = [](std::int64_t) { return max_segments; }},
                   message_time,
                   start_time},
    .cuts_blocks = true,
    .steps = p_minus_1_if_at_once<is_clairvoyant_ring>,
    .messages = Formula{"p(p-1) segments, or p(p-1) if all arrive at once", messages},
    .bytes = formulas::all_bytes,
    .how = ByArrivals{{.of_rank = clairvoyant_schedule, .of_all = clairvoyant_schedules}}};

}  // namespace gatherbench::algorithms
