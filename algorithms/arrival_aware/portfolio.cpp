// SPDX-License-Identifier: BSD-3-Clause
//
// Portfolio: when the ranks will arrive is known before anything is sent, and so is, by a model of
// messages, when they would leave each of some all-gathers. It is the one that they leave first.
//
//   candidates  ring, neighbor_exchange, bruck_in_place, bdr, clairvoyant with 1, 2, 4, ...
//               segments, as many as it tries by itself, arrival_rings; without those that do not
//               run with the problem
//   taken       the one with the least mean exit; of equal ones the first in that order. What
//               sends several blocks in a message counts as 5 % later: both directions of such
//               messages at once took 28 or 55 ms for 32 and 64 KiB of Open MPI 4.1's over 10
//               Mbit/s when nothing else was sent, and up to twice as long in an all-gather
//   many ranks  with more than 128, ring, bruck_in_place, arrival_rings and clairvoyant alone,
//               which chooses its segments: the exits of the others take too long to compute. Ranks
//               leave ring p-1 messages after the last arrival. Of arrival_rings the end of the
//               last class counts, of clairvoyant the slots.
//
// Steps   those of the one that it is
// Cost    in the model never more than that of the ring nor 5 % more than that of Bruck, and up to
//         128 ranks likewise of the other candidates
// Limits  none; without the time of a message, or who predicts exits, it is the ring.
//         The choice takes 0.4 ms with 8 ranks, 0.9 with 16, 9.1 with 48 (user time a call, with
//         the times of one call more, of
//           allgather_schedule time --algorithms portfolio --ranks 48 --sizes 64K -i 200
//           --arrival uniform:max=48t --model hockney:alpha=0,beta=15e-9 --output x.csv)
// Memory  none beside the receive buffer
// Source  ours, of Bruck et al. 1997, Proficz 2021, clairvoyant and arrival_rings
#include "algorithms/arrival_aware/portfolio.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/arrival_aware/arrival_rings.h"
#include "algorithms/arrival_aware/clairvoyant_plan.h"
#include "algorithms/arrival_aware/expected.h"
#include "algorithms/registry.h"
#include "algorithms/segments.h"
#include "algorithms/shared/formulas.h"

namespace gatherbench::algorithms {
namespace {

/// The largest number of ranks at which all candidates are priced by the schedules of all ranks.
constexpr int many_ranks = 128;

/// Factor on the mean exit of an algorithm whose messages have several blocks.
constexpr double longer_messages_doubt = 1.05;

struct Candidate {
  std::string_view name;
  std::int64_t segments = 0;  ///< of an algorithm that has such a parameter
  double doubt = 1;           ///< its mean exit counts as so many times as late
};
constexpr Candidate by_ring{"ring"};
constexpr Candidate by_neighbors{.name = "neighbor_exchange", .doubt = longer_messages_doubt};
constexpr Candidate by_bruck{.name = "bruck_in_place", .doubt = longer_messages_doubt};
constexpr Candidate by_rings{"arrival_rings"};

std::vector<Candidate> candidates(const Problem& problem) {
  std::vector<Candidate> all{by_ring, by_neighbors, by_bruck, {"bdr"}};
  for (const std::int64_t segments : segments_to_try(problem)) {
    all.push_back({"clairvoyant", segments});
  }
  all.push_back(by_rings);
  return all;
}

/// Returns the problem for this candidate.
Problem problem_of(const Candidate& candidate, const Problem& given) {
  Problem problem = given;
  problem.parameters = default_values(*find_algorithm(candidate.name));
  for (ParameterValue& value : problem.parameters) {
    if (std::holds_alternative<Count>(value)) value = Count{candidate.segments};
  }
  return problem;
}

/// Cuts the blocks of a candidate that moves whole blocks, too: into one segment each.
void cut_whole(const Candidate& candidate, const Problem& problem, Schedule& schedule) {
  if (find_algorithm(candidate.name)->cuts_blocks) return;
  schedule.segmentation = {.bytes = std::max<std::int64_t>(problem.largest_bytes(), 1)};
}

/// Returns the schedules of all ranks; none if the candidate cannot run.
std::vector<Schedule> schedules_of(const Candidate& candidate, const Problem& given) {
  const Algorithm& algorithm = *find_algorithm(candidate.name);
  const Problem problem = problem_of(candidate, given);
  if (why_not(algorithm, problem)) return {};
  std::vector<Schedule> schedules = make_schedules(algorithm, problem);
  for (Schedule& one : schedules) cut_whole(candidate, problem, one);
  return schedules;
}

/// Returns true if nothing is known to choose by.
bool is_blind(const Problem& problem) {
  return problem.exits_us == nullptr || !knows_arrivals(problem);
}

double mean_exit(const std::vector<Schedule>& schedules, const Problem& problem) {
  const std::vector<double> exits = (*problem.exits_us)(schedules, problem);
  return std::reduce(exits.begin(), exits.end()) / problem.ranks;
}

/// Compares times; a difference that rounding makes of equal times does not count.
bool is_less(double mean, double least) {
  constexpr double tolerance = 1e-9;
  return mean < least * (1 - tolerance);
}

/// Returns the schedules of all ranks by the best of all candidates.
std::vector<Schedule> best_schedules(const Problem& problem) {
  std::vector<Schedule> best;
  double least = 0;
  for (const Candidate& candidate : candidates(problem)) {
    std::vector<Schedule> schedules = schedules_of(candidate, problem);
    if (schedules.empty()) continue;
    const double mean = candidate.doubt * mean_exit(schedules, problem);
    if (!best.empty() && !is_less(mean, least)) continue;
    least = mean;
    best = std::move(schedules);
  }
  return best;
}

/// Returns the schedules of `count` ranks from `first` on.
std::vector<Schedule> schedules_of_some(const Candidate& candidate, const Problem& given, int first,
                                        int count) {
  if (count == given.ranks) return schedules_of(candidate, given);
  Problem problem = problem_of(candidate, given);
  std::vector<Schedule> schedules;
  for (int i = 0; i < count; ++i) {
    problem.rank = first + i;
    schedules.push_back(make_schedule(*find_algorithm(candidate.name), problem));
    cut_whole(candidate, problem, schedules.back());
  }
  return schedules;
}

/// Returns true if there is no choice by the schedules of all ranks.
bool is_quick(const Problem& problem) { return is_blind(problem) || problem.ranks > many_ranks; }

std::vector<Schedule> quick_schedules(const Problem& problem, int first, int count) {
  if (is_blind(problem)) return schedules_of_some(by_ring, problem, first, count);
  Candidate best = by_ring;
  double least = std::ranges::max(problem.arrival_us) + (problem.ranks - 1) * problem.message_us;
  const auto try_out = [&](const Candidate& candidate, double exit) {
    if (!is_less(exit, least)) return;
    least = exit;
    best = candidate;
  };
  try_out(by_bruck, by_bruck.doubt * mean_exit(schedules_of(by_bruck, problem), problem));
  try_out(by_rings, arrival_rings_end_us(problem));
  if (!why_not(*find_algorithm("clairvoyant"), problem).has_value() &&
      !is_clairvoyant_ring(problem)) {
    ClairvoyantPlan plan = best_clairvoyant_plan(problem, first, count);
    if (is_less(plan.mean_exit_us, least)) return std::move(plan.schedules);
  }
  return schedules_of_some(best, problem, first, count);
}

std::vector<Schedule> portfolio_schedules(const Problem& problem) {
  return is_quick(problem) ? quick_schedules(problem, 0, problem.ranks) : best_schedules(problem);
}

Schedule portfolio_schedule(const Problem& problem) {
  if (is_quick(problem)) return std::move(quick_schedules(problem, problem.rank, 1).front());
  // The best schedule for one rank depends on all ranks.
  return std::move(best_schedules(problem)[static_cast<std::size_t>(problem.rank)]);
}

}  // namespace

extern constinit const Algorithm portfolio{
    .name = "portfolio",
    .summary =
        "of ring, neighbor exchange, Bruck, bdr, clairvoyant and arrival_rings the one predicted "
        "to end first",
    .source = "after Bruck et al. 1997; Proficz 2021",
    .parameters = {message_time, start_time},
    .cuts_blocks = true,
    .steps = Formula{"those of the one that it is",
                     [](const Problem& problem) -> Amount {
                       if (!is_blind(problem)) return std::nullopt;
                       return problem.ranks - 1;
                     }},
    .messages = Formula{"those of the one that it is",
                        [](const Problem& problem) -> Amount {
                          if (!is_blind(problem)) return std::nullopt;
                          const std::int64_t p = problem.ranks;
                          return p * (p - 1);
                        }},
    .bytes = formulas::all_bytes,
    .how = ByArrivals{{.of_rank = portfolio_schedule, .of_all = portfolio_schedules}}};

std::vector<int> longer_messages(const Algorithm& algorithm, int ranks) {
  std::vector<int> blocks;
  if (&algorithm != &portfolio) return blocks;
  const int most = ranks / 2;
  for (int count = 2; count < most; count *= 2) blocks.push_back(count);
  if (most > 1) blocks.push_back(most);
  return blocks;
}

}  // namespace gatherbench::algorithms
