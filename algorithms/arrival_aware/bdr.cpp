// SPDX-License-Identifier: BSD-3-Clause
//
// Background disseminated ring (BDR): a ring that begins before the last rank is there. In the time
// until then, cut into pre-steps of one message each, those that are there send their own block to
// the ranks on their left, one after the other, whose helper thread receives it; the nearest left
// one would have been the last in the ring. The ring then moves what is left.
//
//   pre_r = floor((latest arrival - arrival of r) / time of a message), S = the largest
//   pre-step s   r takes part if pre_r >= S - s: the next rank on its left gets r's block, unless
//                one that arrives later than r (among equals, of a lower rank) sends there
//   ring step j  i passes block b = i - j on if j hops and the pre-sends of b do not reach all yet
//
// Steps   p-1 if all arrive at once: it is the ring. Each rank skips those in which it has nothing
// Cost    that of the ring, less what the late ones have got when they arrive
// Limits  none; without the time of a message there are no pre-steps
// Memory  none beside the receive buffer; O(p^2) time for one rank's schedule
// Source  Proficz 2021, listing 2
//
//   p = 4, rank 0 late by two messages (figure 4b); what is sent
//               rank 0    rank 1    rank 2    rank 3
//   pre-step 0            1 to 0    2 to 1    3 to 2
//   pre-step 1            1 to 3    2 to 0    3 to 1
//   ring 0      0 to 1    1 to 2    2 to 3    3 to 0     rank 0 is done
//   ring 1                0 to 2
//   ring 2                          0 to 3
#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>
#include <utility>
#include <vector>

#include "algorithms/arrival_aware/expected.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/slot_schedules.h"

namespace gatherbench::algorithms {
namespace {

/// The steps in which ranks begin to send ahead, the last rank first; nobody begins in step
/// `pre_steps`.
struct Beginnings {
  std::vector<int> rank;
  std::vector<std::int64_t> step;
  std::int64_t pre_steps = 0;
};

Beginnings beginnings(const Problem& problem) {
  Beginnings all;
  if (!knows_arrivals(problem)) return all;
  const auto arrival = [&](int rank) { return problem.arrival_us[static_cast<std::size_t>(rank)]; };
  all.rank = by_arrival<std::ranges::greater>(problem);
  const double latest = arrival(all.rank.front());
  constexpr double max_steps = 1e15;  // far beyond use; whole numbers are exact up to here
  const auto pre_steps = [&](int rank) {
    return static_cast<std::int64_t>(
        std::min(std::floor((latest - arrival(rank)) / problem.message_us), max_steps));
  };
  all.pre_steps = pre_steps(all.rank.back());
  for (const int rank : all.rank) all.step.push_back(all.pre_steps - pre_steps(rank));
  return all;
}

/// The messages that ranks send ahead, and their receivers.
class PreSteps {
 public:
  explicit PreSteps(const Problem& problem)
      : ranks_(problem.ranks),
        begin_(beginnings(problem)),
        to_begin_(begin_.rank.size()),
        sent_(static_cast<std::size_t>(ranks_), 0),
        receives_in_(sent_.size(), -1) {}

  /// Adds all these messages. Returns to how many ranks each rank's block has gone.
  std::vector<int> add_to(SlotSchedules& schedules) {
    for (std::int64_t s = busy_from(0); s < begin_.pre_steps; s = busy_from(s + 1)) {
      while (to_begin_ > 0 && begin_.step[to_begin_ - 1] <= s) {
        active_.push_back(begin_.rank[--to_begin_]);
      }
      add(s, schedules);
    }
    return std::move(sent_);
  }

 private:
  /// Returns `s`; if nothing is under way, the step in which the next rank begins, however far that
  /// is.
  [[nodiscard]] std::int64_t busy_from(std::int64_t s) const {
    const bool is_idle = active_.empty() && to_begin_ > 0;
    return is_idle ? std::max(s, begin_.step[to_begin_ - 1]) : s;
  }
  void add(std::int64_t s, SlotSchedules& schedules) {
    bool one_is_through = false;
    for (const int from : std::views::reverse(active_)) {
      int& times = sent_[static_cast<std::size_t>(from)];
      const int to = from - 1 - times + (times < from ? 0 : ranks_);
      if (std::exchange(receives_in_[static_cast<std::size_t>(to)], s) == s) continue;
      schedules.move(s, from, to, {from, 1});
      ++times;
      one_is_through = one_is_through || is_through(from);
    }
    if (one_is_through) std::erase_if(active_, [&](int rank) { return is_through(rank); });
  }
  [[nodiscard]] bool is_through(int rank) const {
    return sent_[static_cast<std::size_t>(rank)] == ranks_ - 1;
  }

  int ranks_;
  Beginnings begin_;
  std::size_t to_begin_;                   // those before this one in begin_ are still to begin
  std::vector<int> sent_;                  // by each, to how many
  std::vector<std::int64_t> receives_in_;  // each the last pre-step
  std::vector<int> active_;  // those that have begun and are not through, the latest one last
};

/// Adds the ring of rank r, without what has gone ahead: `sent` has to how many ranks each block
/// went.
void add_ring(Schedule& schedule, int r, const std::vector<int>& sent) {
  const auto p = static_cast<int>(sent.size());
  const int right = r + 1 < p ? r + 1 : 0;
  const int left = r > 0 ? r - 1 : p - 1;
  int outgoing = r;
  int incoming = left;
  for (int j = 0; j < p - 1; ++j) {
    const bool sends = sent[static_cast<std::size_t>(outgoing)] + j < p - 1;
    const bool receives = sent[static_cast<std::size_t>(incoming)] + j < p - 1;
    if (sends || receives) schedule.begin_step();
    if (sends) schedule.send(right, {outgoing, 1});
    if (receives) schedule.receive(left, {incoming, 1});
    outgoing = incoming;
    incoming = incoming > 0 ? incoming - 1 : p - 1;
  }
}

/// Returns the schedules of `count` ranks from `first` on.
std::vector<Schedule> schedules_from(int first, int count, const Problem& problem) {
  std::vector<Schedule> schedules(static_cast<std::size_t>(count));
  if (problem.ranks == 1) return schedules;
  const auto steps = static_cast<std::size_t>(problem.ranks) - 1;
  for (Schedule& schedule : schedules) schedule.reserve(steps, steps, steps);
  SlotSchedules pre_steps(schedules, first);
  const std::vector<int> sent = PreSteps(problem).add_to(pre_steps);
  for (int i = 0; i < count; ++i) {
    add_ring(schedules[static_cast<std::size_t>(i)], first + i, sent);
  }
  return schedules;
}

Schedule bdr_schedule(const Problem& problem) {
  return std::move(schedules_from(problem.rank, 1, problem).front());
}

// Makes all schedules at once, since the pre-steps of one rank take as long as those of all.
std::vector<Schedule> bdr_schedules(const Problem& problem) {
  return schedules_from(0, problem.ranks, problem);
}

}  // namespace

extern constinit const Algorithm bdr{
    .name = "bdr",
    .title = "BDR",
    .summary = "ring, early ranks sending ahead in the background of late ones",
    .source = "Proficz 2021, listing 2 (BDR)",
    .parameters = {message_time},
    .steps = p_minus_1_if_at_once<>,
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .how = ByArrivals{{.of_rank = bdr_schedule, .of_all = bdr_schedules}}};

}  // namespace gatherbench::algorithms
