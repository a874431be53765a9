// SPDX-License-Identifier: BSD-3-Clause
//
// Arrival rings: ranks that arrive one after the other are a class. One class after the other is
// spread over all ranks, in trees and then in rings, as soon as its last rank is there. A rank that
// has not come yet receives and passes on by its helper thread. For many ranks, at which
// clairvoyant takes too long to find its schedule.
//
//   rows    m ranks of a class: all p ranks in g = floor(p/m) rows of about p/g, the class in the
//           first m columns of the first row
//   trees   a block goes down its column, from row to row, by a binomial tree
//   rings   each row is a ring, in which m ranks have a block at first
//   classes those that end first by max(end of the class before, its last arrival) + its steps, of
//           all in the order of arrival; found by dynamic programming
//
// Steps   ceil(p/g) - 1 + ceil(log2 g) of a class; p-1 if all arrive at once: it is the ring
// Cost    of late ones alone ceil(log2 p) messages after the last has come
// Limits  none; without the time of a message it is the ring
// Memory  none beside the receive buffer; O(p sqrt(p)) time for one rank's schedule
// Source  ours, after Clairvoyant (Marendic et al. 2016, 5.4) and BDR (Proficz 2021)
//
//   p = 4, rank 0 late by two messages: the classes are {1, 2} and {3, 0}; what is sent
//            rank 0    rank 1    rank 2    rank 3
//   tree               1 to 3    2 to 0
//   ring     2 to 3    1 to 2    2 to 1    1 to 0     rank 0 still computes
//   tree     0 to 2                        3 to 1
//   ring     0 to 3    3 to 2    0 to 1    3 to 0
#include "algorithms/arrival_aware/arrival_rings.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "algorithms/arrival_aware/expected.h"
#include "algorithms/shared/formulas.h"

namespace gatherbench::algorithms {
namespace {

/// Returns the smallest t with 2^t >= count; count is 1 or more.
int steps_to(int count) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(count) - 1));
}

/// A class: `count` ranks from `first` on, in the order of arrival.
struct Class {
  int first;
  int count;
};

struct Classes {
  std::vector<Class> list;
  std::int64_t end;  // of the last one, from the first arrival on, in parts of a message
};

int rows_of(int ranks, int count) { return ranks / count; }

std::int64_t steps_of(int ranks, int count) {
  const int rows = rows_of(ranks, count);
  return (ranks + rows - 1) / rows - 1 + steps_to(rows);
}

/// Arrivals are counted from the first one on, in whole numbers of these parts, so that all ranks
/// choose the same classes.
constexpr std::int64_t parts_of_a_message = 1024;
std::vector<std::int64_t> arrivals(const Problem& problem, const std::vector<int>& order) {
  constexpr double most = 1e15;  // whole numbers are exact up to here
  const double first = problem.arrival_us[static_cast<std::size_t>(order.front())];
  std::vector<std::int64_t> found;
  for (const int rank : order) {
    const double late = problem.arrival_us[static_cast<std::size_t>(rank)] - first;
    found.push_back(std::llround(std::min(late / problem.message_us * parts_of_a_message, most)));
  }
  return found;
}

/// Returns the sizes that are worth it, the largest first: a smaller class with as many rows takes
/// as many steps.
std::vector<int> class_sizes(int ranks) {
  std::vector<int> sizes;
  for (int rows = 1; rows <= ranks; rows = ranks / (ranks / rows) + 1) {
    sizes.push_back(ranks / rows);
  }
  return sizes;
}

/// Returns the classes with which the last rank ends first; of several such, those in which the
/// fewest others wait for late ranks.
Classes choose_classes(const std::vector<std::int64_t>& arrival) {
  const int ranks = static_cast<int>(arrival.size());
  const std::vector<int> sizes = class_sizes(ranks);
  std::vector<std::int64_t> end(arrival.size() + 1, 0);  // of the first so many
  std::vector<int> last(end.size(), 0);                  // how many the last class of these has
  for (int ranks_in = 1; ranks_in <= ranks; ++ranks_in) {
    const auto j = static_cast<std::size_t>(ranks_in);
    const auto end_with = [&](int count) {
      const std::int64_t before = end[static_cast<std::size_t>(ranks_in - count)];
      return std::max(before, arrival[j - 1]) + parts_of_a_message * steps_of(ranks, count);
    };
    last[j] = ranks_in;
    end[j] = end_with(ranks_in);
    for (const int count : sizes) {
      if (count >= ranks_in || end_with(count) > end[j]) continue;
      last[j] = count;
      end[j] = end_with(count);
    }
  }
  std::vector<Class> classes;
  for (int behind = ranks; behind > 0; behind = classes.back().first) {
    const int count = last[static_cast<std::size_t>(behind)];
    classes.push_back({behind - count, count});
  }
  std::ranges::reverse(classes);
  return {classes, end.back()};
}

/// The places of ranks while a class is spread.
class Rows {
 public:
  Rows(const std::vector<int>& order, const Class& own)
      : order_(order),
        own_(own),
        count_(rows_of(static_cast<int>(order.size()), own.count)),
        least_(static_cast<int>(order.size()) / count_),
        longer_(static_cast<int>(order.size()) % count_) {}

  struct Place {
    int row;
    int column;
  };
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] int length(int row) const { return least_ + (row < longer_ ? 1 : 0); }
  /// Returns the place of the rank that comes as the i-th.
  [[nodiscard]] Place place(int i) const {
    const int in_class = i - own_.first;
    int k = i;  // the class comes first, then the others
    if (in_class >= 0 && in_class < own_.count) k = in_class;
    if (in_class < 0) k = own_.count + i;
    const int in_longer = longer_ * (least_ + 1);
    if (k < in_longer) return {k / (least_ + 1), k % (least_ + 1)};
    return {longer_ + (k - in_longer) / least_, (k - in_longer) % least_};
  }
  [[nodiscard]] int rank(const Place& place) const {
    const int k = place.row * least_ + std::min(place.row, longer_) + place.column;
    int i = k;
    if (k < own_.count) {
      i = own_.first + k;
    } else if (k < own_.count + own_.first) {
      i = k - own_.count;
    }
    return order_[static_cast<std::size_t>(i)];
  }
  /// Returns the block of the column.
  [[nodiscard]] BlockRange block(int column) const { return {rank({0, column}), 1}; }
  [[nodiscard]] bool has_block(int column) const { return column < own_.count; }

 private:
  const std::vector<int>& order_;
  Class own_;
  int count_;
  int least_;   // ranks of a row
  int longer_;  // rows with one more, which come first
};

void add_trees(Schedule& schedule, const Rows& rows, const Rows::Place& own) {
  if (!rows.has_block(own.column)) return;
  for (int half = 1; half < rows.count(); half *= 2) {
    if (own.row < half && own.row + half < rows.count()) {
      schedule.begin_step();
      schedule.send(rows.rank({own.row + half, own.column}), rows.block(own.column));
    } else if (half <= own.row && own.row < 2 * half) {
      schedule.begin_step();
      schedule.receive(rows.rank({own.row - half, own.column}), rows.block(own.column));
    }
  }
}

void add_ring(Schedule& schedule, const Rows& rows, const Rows::Place& own) {
  const int length = rows.length(own.row);
  const auto around = [&](int column) { return (column % length + length) % length; };
  const int right = rows.rank({own.row, around(own.column + 1)});
  const int left = rows.rank({own.row, around(own.column - 1)});
  for (int step = 0; step < length - 1; ++step) {
    const int outgoing = around(own.column - step);
    const int incoming = around(own.column - 1 - step);
    if (!rows.has_block(outgoing) && !rows.has_block(incoming)) continue;
    schedule.begin_step();
    if (rows.has_block(outgoing)) schedule.send(right, rows.block(outgoing));
    if (rows.has_block(incoming)) schedule.receive(left, rows.block(incoming));
  }
}

Classes classes_of(const Problem& problem, const std::vector<int>& order) {
  if (is_at_once(problem)) {
    return {{{0, problem.ranks}}, parts_of_a_message * (problem.ranks - 1)};
  }
  return choose_classes(arrivals(problem, order));
}

Schedule schedule_of(int rank, const std::vector<int>& order, const std::vector<Class>& classes) {
  Schedule schedule;
  const std::size_t steps = order.size() - 1;
  schedule.reserve(steps, steps, steps);
  const auto i = static_cast<int>(std::ranges::find(order, rank) - order.begin());
  for (const Class& each : classes) {
    const Rows rows(order, each);
    add_trees(schedule, rows, rows.place(i));
    add_ring(schedule, rows, rows.place(i));
  }
  return schedule;
}

Schedule arrival_rings_schedule(const Problem& problem) {
  const std::vector<int> order = by_arrival(problem);
  return schedule_of(problem.rank, order, classes_of(problem, order).list);
}

// Finds the classes once, since those of one rank are those of all.
std::vector<Schedule> arrival_rings_schedules(const Problem& problem) {
  const std::vector<int> order = by_arrival(problem);
  const std::vector<Class> classes = classes_of(problem, order).list;
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < problem.ranks; ++rank) {
    schedules.push_back(schedule_of(rank, order, classes));
  }
  return schedules;
}

}  // namespace

double arrival_rings_end_us(const Problem& problem) {
  const std::vector<int> order = by_arrival(problem);
  return problem.arrival_us[static_cast<std::size_t>(order.front())] +
         static_cast<double>(classes_of(problem, order).end) / parts_of_a_message *
             problem.message_us;
}

extern constinit const Algorithm arrival_rings{
    .name = "arrival_rings",
    .summary = "ranks that arrive one after the other spread their blocks in trees, then in rings",
    .source = "after Marendic et al. 2016, 5.4; Proficz 2021",
    .parameters = {message_time},
    .steps = p_minus_1_if_at_once<>,
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .how = ByArrivals{{.of_rank = arrival_rings_schedule, .of_all = arrival_rings_schedules}}};

}  // namespace gatherbench::algorithms
