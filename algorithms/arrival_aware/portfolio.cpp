// SPDX-License-Identifier: BSD-3-Clause
//
// Portfolio: when the ranks will arrive is known before anything is sent, and so is, by a model of
// messages, when they would leave each of some all-gathers. It is the one that they leave first.
//
//   candidates  ring, neighbor_exchange, bruck_in_place, bdr, clairvoyant with 1, 2 and 4 segments,
//               arrival_rings; without those that do not run with the problem
//   taken       the one with the least mean exit; of equal ones the first in that order
//
// Steps   those of the one that it is
// Cost    in the model never more than that of any candidate
// Limits  up to 128 ranks; without the time of a message, or who predicts exits, it is the ring.
//         The choice takes 0.2 ms with 8 ranks, 0.8 with 16, 8.4 with 48 (user time a call, with
//         the times of one call more, of
//           allgather_schedule time --algorithms portfolio --ranks 48 --sizes 64K -i 200
//           --arrival uniform:max=48t --model hockney:alpha=0,beta=15e-9 --output x.csv)
// Memory  none beside the receive buffer
// Source  ours, of Bruck et al. 1997, Proficz 2021, clairvoyant and arrival_rings
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/arrival_aware/expected.h"
#include "algorithms/registry.h"
#include "algorithms/segments.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"

namespace gatherbench::algorithms {
namespace {

constexpr int max_ranks = 128;

struct Candidate {
  std::string_view name;
  std::int64_t segments = 0;  ///< of an algorithm that has such a parameter
};
constexpr Candidate candidates[] = {
    {"ring"},           {"neighbor_exchange"}, {"bruck_in_place"}, {"bdr"},
    {"clairvoyant", 1}, {"clairvoyant", 2},    {"clairvoyant", 4}, {"arrival_rings"}};

/// Of all ranks. Whole blocks are cut, too: into one segment each.
std::vector<Schedule> schedules_of(const Candidate& candidate, const Problem& given) {
  const Algorithm& algorithm = *find_algorithm(candidate.name);
  Problem problem = given;
  problem.parameters = default_values(algorithm);
  for (ParameterValue& value : problem.parameters) {
    if (std::holds_alternative<Count>(value)) value = Count{candidate.segments};
  }
  if (!reason_unusable(algorithm, problem).empty()) return {};
  std::vector<Schedule> schedules = make_schedules(algorithm, problem);
  if (!algorithm.cuts_blocks) {
    const std::int64_t bytes = std::max<std::int64_t>(problem.largest_bytes(), 1);
    for (Schedule& one : schedules) one.segmentation = {.bytes = bytes};
  }
  return schedules;
}

/// Nothing is known to choose by.
bool is_blind(const Problem& problem) {
  return problem.exits_us == nullptr || !knows_arrivals(problem);
}

std::vector<Schedule> all_schedules(const Problem& problem) {
  std::vector<Schedule> best = schedules_of(candidates[0], problem);
  if (is_blind(problem)) return best;
  const auto mean_exit = [&](const std::vector<Schedule>& schedules) {
    const std::vector<double> exits = (*problem.exits_us)(schedules, problem);
    return std::reduce(exits.begin(), exits.end()) / problem.ranks;
  };
  double least = mean_exit(best);
  for (const Candidate& candidate : candidates) {
    // Blocks of fewer bytes have not so many segments: there is a candidate with fewer.
    if (&candidate == candidates || candidate.segments > problem.largest_bytes()) continue;
    std::vector<Schedule> schedules = schedules_of(candidate, problem);
    if (schedules.empty()) continue;
    const double mean = mean_exit(schedules);
    // What rounding makes of equal times does not count.
    constexpr double tolerance = 1e-9;
    if (!(mean < least * (1 - tolerance))) continue;
    least = mean;
    best = std::move(schedules);
  }
  return best;
}

// What is best for one rank depends on all.
Schedule schedule(const Problem& problem) {
  return std::move(all_schedules(problem)[static_cast<std::size_t>(problem.rank)]);
}

std::string reason_too_many_ranks(const Problem& problem) {
  return limits::unless(problem.ranks <= max_ranks, "at most 128 ranks", problem);
}

}  // namespace

extern constinit const Algorithm portfolio{
    .name = "portfolio",
    .summary =
        "of ring, neighbor exchange, Bruck, bdr, clairvoyant and arrival_rings the one predicted "
        "to end first",
    .source = "after Bruck et al. 1997; Proficz 2021",
    .needs = Needs{"p <= 128", reason_too_many_ranks},
    .parameters = {message_time,
                   {.name = "alpha",
                    .summary = "time of a message without bytes, 20us, or measured",
                    .default_value = StartTime{}}},
    .uses_arrivals = true,
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
    .schedule = schedule,
    .all_schedules = all_schedules};

}  // namespace gatherbench::algorithms
