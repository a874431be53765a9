// SPDX-License-Identifier: BSD-3-Clause
//
// Clairvoyant reduction: ranks that are there combine segments with each other in rounds, while
// late ones are still to come; each round takes the time of one segment. A rank that comes late
// finds the others' vectors combined, and only its own is left.
//
//   round   of the ranks that are there, in the order in which they are free, each takes the first
//           segment that it holds from the first other rank that holds it, too, and has nothing to
//           send yet; what came in this round is not sent on. The root, or the first of the ranks
//           while that is not there, also takes segments that it has given away.
//
// Steps   for balanced arrivals and a power of two ceil(log2 p) + N - 1 rounds, and mostly for
//         others; one more for some, such as p = 21 with N = 8
// Cost    (n - 1) alpha + 2 sqrt((n - 1) alpha m (beta + gamma)) + m (beta + gamma) with the best
//         N, n = ceil(log2 p); N rounds after the last rank has come if that is late by more
// Limits  operators that commute; without the time of a message all ranks count as there at once
// Memory  a vector where that is not the root, and a segment for what comes in
// Source  Marendic et al. 2016, section 5.4, algorithm 1. As printed, a rank may send on what it is
//         just receiving, and counts its segments by the wrong index. A rank is in the round if it
//         comes before that round ends, not also when it ends.
//
//   p = 4, segments a b   rank 0        rank 1        rank 2        rank 3
//   round 0               b to 1        a to 0        b to 3        a to 2
//   round 1                                           a to 0        b to 1
//   round 2                             b to 0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include "algorithms/reduce/segment_gather.h"
#include "algorithms/shared/slot_schedules.h"

namespace gatherbench::algorithms {
namespace {

using Word = std::uint64_t;
constexpr int word_bits = 64;
constexpr int root = 0;

/// A message of one segment to another rank in a round.
struct Move {
  int from;
  int to;
  int segment;
  bool stored;  ///< the receiver had given it away
};

/// A set of numbers below `ranks`, as bits.
class Row {
 public:
  explicit Row(int ranks) : words_(static_cast<std::size_t>((ranks + word_bits - 1) / word_bits)) {}
  [[nodiscard]] bool has(int i) const { return (word(i) >> (i % word_bits) & 1U) != 0; }
  void set(int i) { word(i) |= Word{1} << (i % word_bits); }
  void clear(int i) { word(i) &= ~(Word{1} << (i % word_bits)); }
  void clear() { std::ranges::fill(words_, 0U); }
  /// Returns the first number in this set that is neither in `others` nor `self`; -1 if none is.
  [[nodiscard]] int first_but(const Row& others, int self) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      Word found = words_[w] & ~others.words_[w];
      if (static_cast<std::size_t>(self / word_bits) == w) {
        found &= ~(Word{1} << (self % word_bits));
      }
      if (found != 0) return static_cast<int>(w) * word_bits + std::countr_zero(found);
    }
    return -1;
  }

 private:
  [[nodiscard]] Word& word(int i) { return words_[static_cast<std::size_t>(i / word_bits)]; }
  [[nodiscard]] const Word& word(int i) const {
    return words_[static_cast<std::size_t>(i / word_bits)];
  }
  std::vector<Word> words_;
};

std::int64_t whole_ns(double us) { return std::llround(us * 1000); }

/// Returns the time of a segment's message with its combination, in nanoseconds, at least 1. It is
/// a whole number, since all ranks have to come to the same rounds.
std::int64_t round_ns(const Problem& problem) {
  const double segment_us = problem.start_us + (problem.message_us - problem.start_us) /
                                                   static_cast<double>(problem.count());
  return std::max<std::int64_t>(1, whole_ns(segment_us));
}

/// Returns true if it is known by how many rounds a late rank is late, for which the time of a
/// message must be known.
bool knows_when(const Problem& problem) {
  return !problem.arrival_us.empty() && problem.message_us > 0;
}

class Rounds {
 public:
  explicit Rounds(const Problem& problem)
      : ranks_(problem.ranks),
        segments_(static_cast<int>(problem.count())),
        round_(round_ns(problem)),
        time_(static_cast<std::size_t>(ranks_), 0),
        held_(static_cast<std::size_t>(ranks_) * static_cast<std::size_t>(segments_), 1),
        count_(static_cast<std::size_t>(ranks_), segments_) {
    for (int rank = 0; rank < ranks_; ++rank) {
      const auto i = static_cast<std::size_t>(rank);
      if (knows_when(problem)) time_[i] = whole_ns(problem.arrival_us[i]);
      alive_.push_back(rank);
    }
    holders_.assign(static_cast<std::size_t>(segments_), Row(ranks_));
  }
  [[nodiscard]] bool is_done() const { return alive_.size() == 1; }

  const std::vector<Move>& next() {
    gather_group();
    moves_.clear();
    Row sent(ranks_);
    for (int i = 0; i < std::ssize(group_); ++i) take_one(i, sent);
    const std::int64_t passed = moves_.empty() ? rounds_to_next() : 1;
    for (const int rank : group_) {
      const auto r = static_cast<std::size_t>(rank);
      if (count_[r] > 0) {
        time_[r] += passed * round_;
      } else {
        std::erase(alive_, rank);
      }
    }
    return moves_;
  }

 private:
  char& held(int rank, int segment) {
    return held_[static_cast<std::size_t>(rank) * static_cast<std::size_t>(segments_) +
                 static_cast<std::size_t>(segment)];
  }

  /// Gathers the ranks that come before the round of the first one ends; the rank that collects all
  /// is in front.
  void gather_group() {
    std::ranges::sort(alive_, [&](int a, int b) {
      const std::int64_t of_a = time_[static_cast<std::size_t>(a)];
      const std::int64_t of_b = time_[static_cast<std::size_t>(b)];
      return of_a != of_b ? of_a < of_b : a < b;
    });
    const std::int64_t end = time_[static_cast<std::size_t>(alive_.front())] + round_;
    group_.clear();
    for (const int rank : alive_) {
      if (time_[static_cast<std::size_t>(rank)] >= end) break;
      group_.push_back(rank);
    }
    const auto sink = std::ranges::find(group_, root);
    if (sink != group_.end()) std::rotate(group_.begin(), sink, sink + 1);
    for (int segment = 0; segment < segments_; ++segment) {
      Row& holders = holders_[static_cast<std::size_t>(segment)];
      holders.clear();
      for (int i = 0; i < std::ssize(group_); ++i) {
        if (held(group_[static_cast<std::size_t>(i)], segment) != 0) holders.set(i);
      }
    }
  }

  /// Returns in how many rounds the next rank is there, if nothing moves until then; 1 if all are.
  [[nodiscard]] std::int64_t rounds_to_next() const {
    if (group_.size() == alive_.size()) return 1;
    const std::int64_t end = time_[static_cast<std::size_t>(alive_.front())] + round_;
    return (time_[static_cast<std::size_t>(alive_[group_.size()])] - end) / round_ + 1;
  }

  /// Takes a segment for the i-th rank of the group in this round, if there is one. Both ranks are
  /// then struck from the segment's holders: what came in this round is not sent on.
  void take_one(int i, Row& sent) {
    const int rank = group_[static_cast<std::size_t>(i)];
    for (int segment = 0; segment < segments_; ++segment) {
      const bool has = held(rank, segment) != 0;
      if (!has && i != 0) continue;
      Row& holders = holders_[static_cast<std::size_t>(segment)];
      const int sender = holders.first_but(sent, i);
      if (sender < 0) continue;
      const int from = group_[static_cast<std::size_t>(sender)];
      moves_.push_back({from, rank, segment, !has});
      sent.set(sender);
      held(from, segment) = 0;
      held(rank, segment) = 1;
      --count_[static_cast<std::size_t>(from)];
      if (!has) ++count_[static_cast<std::size_t>(rank)];
      holders.clear(sender);
      holders.clear(i);
      return;
    }
  }

  int ranks_;
  int segments_;
  std::int64_t round_;
  std::vector<std::int64_t> time_;  // of each rank, when it is free
  std::vector<char> held_;          // [rank][segment]
  std::vector<int> count_;          // of each rank, how many it holds
  std::vector<int> alive_;
  std::vector<int> group_;
  std::vector<Row> holders_;  // of each segment, by place in the group
  std::vector<Move> moves_;
};

/// Returns the schedules of `count` ranks from `first` on.
std::vector<Schedule> schedules_from(int first, int count, const Problem& problem) {
  std::vector<Schedule> schedules(static_cast<std::size_t>(count));
  for (Schedule& one : schedules) one.segmentation = segments_of(problem);
  SlotSchedules rounds_of(schedules, first);
  Rounds rounds(problem);
  for (std::int64_t round = 0; !rounds.is_done(); ++round) {
    for (const Move& move : rounds.next()) {
      rounds_of.move(round, move.from, move.to, {move.segment, 1},
                     move.stored ? Incoming::store : Incoming::combine_before);
    }
  }
  return schedules;
}

Schedule clairvoyant_schedule(const Problem& problem) {
  return std::move(schedules_from(problem.rank, 1, problem).front());
}

// Returns the schedules of all ranks. The rounds of one rank take as long to find as those of all.
std::vector<Schedule> clairvoyant_schedules(const Problem& problem) {
  return schedules_from(0, problem.ranks, problem);
}

}  // namespace

extern constinit const Algorithm reduce_clairvoyant{
    .name = "clairvoyant",
    .summary = "segments among the ranks that are there, by predicted arrivals",
    .source = "Marendic et al. 2016, 5.4",
    .kind = &collectives::reduce,
    .parameters = clairvoyant_parameters,
    .cuts_blocks = true,
    .steps =
        Formula{"ceil(log2 p) + N-1 if p is a power of two and arrivals are balanced",
                [](const Problem& problem) -> Amount {
                  const bool balanced =
                      !knows_when(problem) ||
                      std::ranges::adjacent_find(problem.arrival_us, std::not_equal_to{}) ==
                          problem.arrival_us.end();
                  if (!std::has_single_bit(static_cast<unsigned>(problem.ranks)) || !balanced) {
                    return std::nullopt;
                  }
                  if (problem.ranks == 1) return 0;
                  return formulas::log2_ceil(problem.ranks) + problem.count() - 1;
                }},
    .messages = formulas::no_closed_form,
    .bytes = formulas::no_closed_form,
    .how = ByArrivals{{.of_rank = clairvoyant_schedule, .of_all = clairvoyant_schedules}}};

}  // namespace gatherbench::algorithms
