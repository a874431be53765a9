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
//   match  greedily by rarity, then by augmenting paths until no more ranks can take part
//
// Steps   p-1 if arrivals differ by less than a message: it is the ring, in whole blocks, since
//         nothing is faster then. Else as many slots as the arrivals ask for
// Cost    if the last rank is late by all that the others have to exchange: ceil(log2 p) messages
//         after it has come, or about (segments - 1 + ceil(log2 p)) / segments in parts
// Limits  up to 128 ranks; without the time of a message it is the ring
// Memory  none beside the receive buffer; O(p^3 segments^2 / 64) time for a schedule, and a third
//         more to choose how many segments
// Source  after the reduction of Marendic et al. 2016, section 5.4 (Clairvoyant), and Proficz 2021
//
//   p = 4, rank 0 late by two messages, whole blocks; what is sent
//            rank 0    rank 1    rank 2    rank 3
//   slot 0             1 to 2    2 to 1    3 to 0
//   slot 1   3 to 1    2 to 3    2 to 0    3 to 2     rank 0 still computes
//   slot 2   0 to 1    1 to 0    1 to 3
//   slot 3   0 to 3    0 to 2                         the ring takes one more
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/arrival_aware/clairvoyant_slots.h"
#include "algorithms/arrival_aware/expected.h"
#include "algorithms/registry.h"
#include "algorithms/segments.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"
#include "algorithms/shared/slot_schedules.h"

namespace gatherbench::algorithms {
namespace {

constexpr int max_ranks = 128;
constexpr std::int64_t max_segments = 64;

const Algorithm& ring() { return *find_algorithm("ring"); }

std::int64_t total_bytes(const Problem& problem) {
  std::int64_t total = 0;
  for (int block = 0; block < problem.ranks; ++block) total += problem.bytes(block);
  return total;
}

/// Nothing can be gained from knowing when ranks come.
bool is_ring(const Problem& problem) {
  if (is_at_once(problem) || total_bytes(problem) == 0) return true;
  const auto [first, last] = std::ranges::minmax(problem.arrival_us);
  return last - first < problem.message_us;
}

/// As asked for, or chosen by the arrivals.
std::int64_t segments_of(const Problem& problem) {
  return problem.count() > 0 ? problem.count() : best_segments(problem);
}

std::vector<int> ranks_without_bytes(const Problem& problem) {
  std::vector<int> found;
  for (int rank = 0; rank < problem.ranks; ++rank) {
    if (problem.bytes(rank) == 0) found.push_back(rank);
  }
  return found;
}

/// Blocks without bytes make no messages; that they come is said in one step of all ranks.
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

/// The schedules of `count` ranks from `first` on.
std::vector<Schedule> schedules_from(int first, int count, const Problem& problem) {
  std::vector<Schedule> schedules(static_cast<std::size_t>(count));
  const Slots slots(problem, segments_of(problem));
  for (Schedule& schedule : schedules) {
    schedule.segmentation = slots.segmentation();
    schedule.reserve(slots.parts(), slots.parts(), slots.parts());
  }
  SlotSchedules moves(schedules, first);
  slots.spread([&](std::int64_t slot, const PartMove& move, double) {
    moves.move(slot, move.from, move.to, {move.part, 1});
  });
  for (int i = 0; i < count; ++i) {
    add_empty_blocks(schedules[static_cast<std::size_t>(i)], first + i, problem, slots.segments());
  }
  return schedules;
}

/// Whole blocks are parts, too: one of each.
Schedule whole(Schedule schedule, const Problem& problem) {
  schedule.segmentation = {.bytes = std::max<std::int64_t>(problem.largest_bytes(), 1)};
  return schedule;
}

Schedule schedule(const Problem& problem) {
  if (is_ring(problem)) return whole(ring().schedule(problem), problem);
  return std::move(schedules_from(problem.rank, 1, problem).front());
}

// The slots of one rank take as long as those of all.
std::vector<Schedule> all_schedules(const Problem& problem) {
  if (!is_ring(problem)) return schedules_from(0, problem.ranks, problem);
  std::vector<Schedule> schedules = make_schedules(ring(), problem);
  for (Schedule& one : schedules) one = whole(std::move(one), problem);
  return schedules;
}

Amount messages(const Problem& problem) {
  const std::int64_t p = problem.ranks;
  if (is_ring(problem)) return p * (p - 1);
  const Slots slots(problem, segments_of(problem));
  return p * (p - 1) * slots.segments().count(0);
}

std::string reason_too_many_ranks(const Problem& problem) {
  return limits::unless(problem.ranks <= max_ranks, "at most 128 ranks", problem);
}

}  // namespace

extern constinit const Algorithm clairvoyant{
    .name = "clairvoyant",
    .summary = "early ranks spread all that is there, through late ones too, rarest parts first",
    .source = "after Marendic et al. 2016, 5.4; Proficz 2021",
    .needs = Needs{"p <= 128", reason_too_many_ranks},
    .parameters = {{.name = "segments",
                    .summary = "parts of the largest block, 1 to 64, or auto",
                    .default_value = Count{0},
                    .max_text = "64",
                    .max = [](std::int64_t) { return max_segments; }},
                   message_time,
                   start_time},
    .uses_arrivals = true,
    .cuts_blocks = true,
    .steps = p_minus_1_if_at_once<is_ring>,
    .messages = Formula{"p(p-1) segments, or p(p-1) if all arrive at once", messages},
    .bytes = formulas::all_bytes,
    .schedule = schedule,
    .all_schedules = all_schedules};

}  // namespace gatherbench::algorithms
