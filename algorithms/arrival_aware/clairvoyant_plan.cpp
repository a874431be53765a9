// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/arrival_aware/clairvoyant_plan.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "algorithms/arrival_aware/clairvoyant_slots.h"
#include "algorithms/arrival_aware/expected.h"
#include "algorithms/segments.h"
#include "algorithms/shared/slot_schedules.h"

namespace gatherbench::algorithms {
namespace {

std::int64_t total_bytes(const Problem& problem) {
  std::int64_t total = 0;
  for (int block = 0; block < problem.ranks; ++block) total += problem.bytes(block);
  return total;
}

std::vector<int> ranks_without_bytes(const Problem& problem) {
  std::vector<int> found;
  for (int rank = 0; rank < problem.ranks; ++rank) {
    if (problem.bytes(rank) == 0) found.push_back(rank);
  }
  return found;
}

/// Adds one step of all ranks for the blocks without bytes, if there are any. They make no messages
/// in the slots; the step says that they come.
void add_empty_blocks(Schedule& schedule, int r, const Problem& problem, const Segments& segments) {
  const std::vector<int> empty = ranks_without_bytes(problem);
  if (empty.empty() || problem.ranks == 1) return;
  schedule.begin_step();
  const auto part_of = [&](int rank) {
    return BlockRange{segments.first[static_cast<std::size_t>(rank)], 1};
  };
  if (problem.bytes(r) == 0) {
    for (int rank = 0; rank < problem.ranks; ++rank) {
      if (rank != r) schedule.send(rank, part_of(r));
    }
  }
  for (const int rank : empty) {
    if (rank != r) schedule.receive(rank, part_of(rank));
  }
}

}  // namespace

bool is_clairvoyant_ring(const Problem& problem) {
  if (is_at_once(problem) || total_bytes(problem) == 0) return true;
  const auto [first, last] = std::ranges::minmax(problem.arrival_us);
  return last - first < problem.message_us;
}

ClairvoyantPlan clairvoyant_plan(const Problem& problem, std::int64_t segments, int first,
                                 int count) {
  const Slots slots(problem, segments);
  std::vector<Schedule> schedules(static_cast<std::size_t>(count));
  for (Schedule& schedule : schedules) {
    schedule.segmentation = slots.segmentation();
    schedule.reserve(slots.parts(), slots.parts(), slots.parts());
  }
  SlotSchedules moves(schedules, first);
  std::vector<double> exits_ps = slots.arrivals_ps();
  slots.spread([&](std::int64_t slot, const PartMove& move, double end_ps) {
    moves.move(slot, move.from, move.to, {move.part, 1});
    for (const int rank : {move.from, move.to}) {
      double& exit = exits_ps[static_cast<std::size_t>(rank)];
      exit = std::max(exit, end_ps);
    }
  });
  for (int i = 0; i < count; ++i) {
    add_empty_blocks(schedules[static_cast<std::size_t>(i)], first + i, problem, slots.segments());
  }
  constexpr double us_per_ps = 1e-6;
  const double all_ps = std::accumulate(exits_ps.begin(), exits_ps.end(), 0.0);
  return {std::move(schedules), segments, all_ps / problem.ranks * us_per_ps};
}

std::vector<std::int64_t> segments_to_try(const Problem& problem) {
  constexpr std::int64_t few = 4;
  constexpr std::int64_t most_of_few_ranks = 64;
  constexpr std::int64_t most_of_all = 1024;
  const std::int64_t quick = std::min(std::max(few, most_of_few_ranks / problem.ranks),
                                      std::max<std::int64_t>(most_of_all / problem.ranks, 1));
  const std::int64_t most =
      std::min(quick, std::max<std::int64_t>(problem.largest_bytes() / problem.element_bytes, 1));
  std::vector<std::int64_t> segments;
  for (std::int64_t count = 1; count <= most; count *= 2) segments.push_back(count);
  return segments;
}

ClairvoyantPlan best_clairvoyant_plan(const Problem& problem, int first, int count) {
  const std::vector<std::int64_t> segments = segments_to_try(problem);
  ClairvoyantPlan best = clairvoyant_plan(problem, segments.front(), first, count);
  for (const std::int64_t more : std::span(segments).subspan(1)) {
    ClairvoyantPlan plan = clairvoyant_plan(problem, more, first, count);
    if (plan.mean_exit_us >= best.mean_exit_us) break;
    best = std::move(plan);
  }
  return best;
}

}  // namespace gatherbench::algorithms
