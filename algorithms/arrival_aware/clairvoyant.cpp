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
// Memory  none beside the receive buffer; O(p^3 segments^2 / 64) time for a schedule
// Source  after the reduction of Marendic et al. 2016, section 5.4 (Clairvoyant), and Proficz 2021
//
//   p = 4, rank 0 late by two messages, whole blocks; what is sent
//            rank 0    rank 1    rank 2    rank 3
//   slot 0             1 to 2    2 to 1    3 to 0
//   slot 1   3 to 1    2 to 3    2 to 0    3 to 2     rank 0 still computes
//   slot 2   0 to 1    1 to 0    1 to 3
//   slot 3   0 to 3    0 to 2                         the ring takes one more
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/arrival_aware/expected.h"
#include "algorithms/arrival_aware/rarest_first.h"
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

/// So many parts of the largest block; smaller ones have fewer.
Segmentation parts_of(const Problem& problem) {
  const std::int64_t parts = problem.count();
  return {.bytes = std::max<std::int64_t>((problem.largest_bytes() + parts - 1) / parts, 1),
          .unit = problem.element_bytes};
}

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

/// When who comes, in whole picoseconds, so that all ranks come to the same schedule.
class Arrivals {
 public:
  Arrivals(const Problem& problem, std::int64_t part_bytes) : order_(by_arrival(problem)) {
    constexpr double ps_per_us = 1e6;
    constexpr double max_ps = 1e18;  // eleven days
    for (const int rank : order_) {
      const double us = problem.arrival_us[static_cast<std::size_t>(rank)];
      ps_.push_back(std::llround(std::clamp(us * ps_per_us, 0.0, max_ps)));
    }
    // The time of a message is that of a block of mean size.
    const double parts =
        static_cast<double>(total_bytes(problem)) / problem.ranks / static_cast<double>(part_bytes);
    slot_ps_ = std::llround(std::clamp(problem.message_us * ps_per_us / parts, 1.0, max_ps));
    now_ps_ = ps_.front();
  }

  /// The next rank that is there by now; -1: no other one is.
  int next() {
    if (next_ == order_.size()) return -1;
    // Slots that are no whole number of picoseconds stay in line with ranks a message apart.
    constexpr std::int64_t tolerance = 1024;
    return ps_[next_] <= now_ps_ + slot_ps_ / tolerance ? order_[next_++] : -1;
  }
  void pass_slot() { now_ps_ = std::min(now_ps_, ps_.back()) + slot_ps_; }
  /// Until the next one comes, who must exist.
  void wait() { now_ps_ = ps_[next_]; }

 private:
  std::vector<int> order_;
  std::vector<std::int64_t> ps_;  // in that order
  std::int64_t slot_ps_;
  std::int64_t now_ps_;
  std::size_t next_ = 0;
};

/// Parts that have bytes, those first that of equally rare ones go first: of the rank that comes
/// last, then of the higher one.
struct Parts {
  Parts(const Problem& problem, const Segments& segments) {
    std::vector<int> ranks = by_arrival(problem);
    std::ranges::reverse(ranks);
    for (const int rank : ranks) {
      for (int i = 0; i < segments.count(rank); ++i) {
        const int part = segments.first[static_cast<std::size_t>(rank)] + i;
        if (segments.bytes[static_cast<std::size_t>(part)] == 0) continue;
        number.push_back(part);
        owner.push_back(rank);
      }
    }
  }
  std::vector<int> number;
  std::vector<int> owner;
};

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

/// All slots, until all ranks have all parts.
void add_slots(SlotSchedules schedules, const Problem& problem, const Parts& parts,
               std::int64_t part_bytes) {
  Arrivals arrivals(problem, part_bytes);
  RarestFirst spreading(problem.ranks, parts.owner);
  for (std::int64_t slot = 0; !spreading.is_done(); ++slot) {
    for (int rank = arrivals.next(); rank >= 0; rank = arrivals.next()) spreading.arrive(rank);
    const std::vector<PartMove>& moves = spreading.next_slot();
    for (const PartMove& move : moves) {
      const int part = parts.number[static_cast<std::size_t>(move.part)];
      schedules.move(slot, move.from, move.to, {part, 1});
    }
    if (moves.empty()) {
      arrivals.wait();
    } else {
      arrivals.pass_slot();
    }
  }
}

/// The schedules of `count` ranks from `first` on.
std::vector<Schedule> schedules_from(int first, int count, const Problem& problem) {
  std::vector<Schedule> schedules(static_cast<std::size_t>(count));
  std::vector<std::int64_t> bytes;
  for (int block = 0; block < problem.ranks; ++block) bytes.push_back(problem.bytes(block));
  const Segmentation segmentation = parts_of(problem);
  const Segments segments = cut(bytes, segmentation);
  const Parts parts(problem, segments);
  for (Schedule& schedule : schedules) {
    schedule.segmentation = segmentation;
    schedule.reserve(parts.number.size(), parts.number.size(), parts.number.size());
  }
  add_slots({schedules, first}, problem, parts, segmentation.bytes);
  for (int i = 0; i < count; ++i) {
    add_empty_blocks(schedules[static_cast<std::size_t>(i)], first + i, problem, segments);
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

std::int64_t parts_of_a_block(const Problem& problem) {
  const std::int64_t bytes = parts_of(problem).bytes;
  return std::max<std::int64_t>((problem.bytes(0) + bytes - 1) / bytes, 1);
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
                    .summary = "parts of the largest block, 1 to 64",
                    .default_value = Count{4},
                    .max_text = "64",
                    .max = [](std::int64_t) { return max_segments; }},
                   message_time},
    .uses_arrivals = true,
    .cuts_blocks = true,
    .steps = p_minus_1_if_at_once<is_ring>,
    .messages = Formula{"p(p-1) segments, or p(p-1) if all arrive at once",
                        [](const Problem& problem) -> Amount {
                          const std::int64_t p = problem.ranks;
                          return p * (p - 1) * (is_ring(problem) ? 1 : parts_of_a_block(problem));
                        }},
    .bytes = formulas::all_bytes,
    .schedule = schedule,
    .all_schedules = all_schedules};

}  // namespace gatherbench::algorithms
