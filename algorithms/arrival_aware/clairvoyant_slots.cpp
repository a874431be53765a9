// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/arrival_aware/clairvoyant_slots.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gatherbench::algorithms {

// Greedily, part by part; then along shortest augmenting paths, many at a time (Hopcroft and Karp
// 1973). Who could send to whom follows from the parts: a table of all pairs would take longer to
// keep than the slots take to find.

using bits::Word;

namespace {

constexpr int rarest_of_pair = -1;

}  // namespace

void SlotMatching::Side::set_free(const std::vector<int>& order) {
  for (int i = 0; i < std::ssize(order); ++i) {
    place[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = i;
    bits::set(free, i);
  }
  free_places = free;
}

void SlotMatching::Side::take(int rank) {
  bits::clear(free, rank);
  bits::clear(free_places, place[static_cast<std::size_t>(rank)]);
}

SlotMatching::SlotMatching(const Holdings& holdings, std::size_t ranks, std::size_t parts)
    : holdings_(holdings),
      sender_of_(ranks),
      receiver_of_(ranks),
      part_to_(ranks),
      senders_{.free = Words(bits::words_of(ranks)), .free_places = {}, .place = sender_of_},
      receivers_(senders_),
      senders_of_part_(bits::words_of(ranks)),
      all_(bits::words_of(ranks)),
      no_parts_(bits::words_of(parts)) {
  for (int rank = 0; rank < std::ssize(sender_of_); ++rank) bits::set(all_, rank);
}

void SlotMatching::match(int sender, int receiver, int part) {
  sender_of_[static_cast<std::size_t>(receiver)] = sender;
  receiver_of_[static_cast<std::size_t>(sender)] = receiver;
  part_to_[static_cast<std::size_t>(receiver)] = part;
}

/// Matches ranks that may send the part with ranks that lack it, both in their order, while there
/// are any.
void SlotMatching::match_all(int part, const Order& order) {
  const std::span<const Word> holders = holdings_.ranks_with(part);
  std::ranges::fill(senders_of_part_, 0);
  for (std::size_t i = 0; i < holders.size(); ++i) {
    for (Word both = senders_.free[i] & holders[i]; both != 0; both &= both - 1) {
      const int sender = bits::lowest(i, both);
      bits::set(senders_of_part_, senders_.place[static_cast<std::size_t>(sender)]);
    }
  }
  int to = bits::next(receivers_.free_places, 0);
  for (int from = bits::next(senders_of_part_, 0); from >= 0;
       from = bits::next(senders_of_part_, from + 1)) {
    const auto is_holder = [&] {
      return bits::has(holders, order.receivers[static_cast<std::size_t>(to)]);
    };
    while (to >= 0 && is_holder()) to = bits::next(receivers_.free_places, to + 1);
    if (to < 0) return;
    const int sender = order.senders[static_cast<std::size_t>(from)];
    const int receiver = order.receivers[static_cast<std::size_t>(to)];
    match(sender, receiver, part);
    senders_.take(sender);
    receivers_.take(receiver);
    to = bits::next(receivers_.free_places, to + 1);
  }
}

void SlotMatching::match_greedily(const Order& order) {
  for (const int part : order.parts) {
    const std::span<const Word> holders = holdings_.ranks_with(part);
    if (!bits::meet(senders_.free, holders)) continue;
    Word lack = 0;
    for (std::size_t i = 0; i < holders.size(); ++i) lack |= receivers_.free[i] & ~holders[i];
    if (lack != 0) match_all(part, order);
  }
}

/// Reaches the receivers that lack a part of the level's senders, and were not reached before.
void SlotMatching::reach_receivers(Level& level, const Order& order) {
  reached_ = others_;
  Word left = 1;
  for (const int part : order.parts) {
    const std::span<const Word> holders = holdings_.ranks_with(part);
    // The senders' parts need not be known exactly when all are reached.
    if (left != 0 && !bits::meet(level.senders, holders)) continue;
    bits::set(level.parts, part);
    left = 0;
    for (std::size_t i = 0; i < others_.size(); ++i) left |= others_[i] &= holders[i];
  }
  for (std::size_t i = 0; i < others_.size(); ++i) reached_[i] &= ~others_[i];
}

/// Finds levels from the senders that are left back to the first receivers that are left. Returns
/// false if there is none.
bool SlotMatching::find_levels(const Order& order) {
  others_ = all_;
  levels_.assign(1, {.senders = senders_.free, .parts = no_parts_});
  for (;;) {
    reach_receivers(levels_.back(), order);
    if (bits::meet(reached_, receivers_.free)) break;
    Level next{.senders = Words(all_.size()), .parts = no_parts_};
    for (int receiver = bits::next(reached_, 0); receiver >= 0;
         receiver = bits::next(reached_, receiver + 1)) {
      bits::set(next.senders, sender_of_[static_cast<std::size_t>(receiver)]);
    }
    if (bits::next(next.senders, 0) < 0) return false;
    levels_.push_back(std::move(next));
  }
  return true;
}

/// Finds a sender in the level, and by an augmenting path through the levels before. Each sender is
/// asked once.
bool SlotMatching::find_sender(int receiver, std::size_t level) {
  Words& senders = levels_[level].senders;
  Words& sent = levels_[level].parts;
  const std::span<const Word> held = holdings_.parts_of(receiver);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    for (Word parts = sent[i] & ~held[i]; parts != 0; parts &= parts - 1) {
      const int part = bits::lowest(i, parts);
      const std::span<const Word> holders = holdings_.ranks_with(part);
      for (std::size_t k = 0; k < holders.size(); ++k) {
        for (Word both = holders[k] & senders[k]; both != 0; both &= both - 1) {
          const int sender = bits::lowest(k, both);
          bits::clear(senders, sender);
          if (level == 0) {
            senders_.take(sender);
          } else if (!find_sender(receiver_of_[static_cast<std::size_t>(sender)], level - 1)) {
            continue;
          }
          match(sender, receiver, rarest_of_pair);
          return true;
        }
      }
      bits::clear(sent, part);  // all that have it were asked
    }
  }
  return false;
}

void SlotMatching::match_the_rest(const Order& order) {
  while (find_levels(order)) {
    for (int at = bits::next(receivers_.free_places, 0); at >= 0;
         at = bits::next(receivers_.free_places, at + 1)) {
      const int receiver = order.receivers[static_cast<std::size_t>(at)];
      if (!bits::has(reached_, receiver)) continue;
      if (find_sender(receiver, levels_.size() - 1)) receivers_.take(receiver);
    }
  }
}

int SlotMatching::rarest(int sender, int receiver, const Order& order) const {
  const std::span<const Word> sends = holdings_.parts_of(sender);
  const std::span<const Word> held = holdings_.parts_of(receiver);
  return *std::ranges::find_if(
      order.parts, [&](int part) { return bits::has(sends, part) && !bits::has(held, part); });
}

const std::vector<PartMove>& SlotMatching::find(const Order& order) {
  std::ranges::fill(sender_of_, -1);
  senders_.set_free(order.senders);
  receivers_.set_free(order.receivers);
  match_greedily(order);
  match_the_rest(order);
  moves_.clear();
  for (int to = 0; to < std::ssize(sender_of_); ++to) {
    const int from = sender_of_[static_cast<std::size_t>(to)];
    if (from < 0) continue;
    const int part = part_to_[static_cast<std::size_t>(to)];
    moves_.push_back({from, to, part == rarest_of_pair ? rarest(from, to, order) : part});
  }
  return moves_;
}

RarestFirst::RarestFirst(int ranks, std::span<const int> owner)
    : ranks_(ranks),
      owner_(owner.begin(), owner.end()),
      missing_(static_cast<std::int64_t>(owner.size()) * (ranks - 1)),
      holders_count_(owner.size(), 1),
      received_count_(static_cast<std::size_t>(ranks), 0),
      sends_count_(received_count_.size(), 0),
      holdings_(received_count_.size(), owner.size()),
      matching_(holdings_, received_count_.size(), owner.size()) {
  order_.senders.resize(received_count_.size());
  std::iota(order_.senders.begin(), order_.senders.end(), 0);
  order_.receivers = order_.senders;
  for (const int own : owner_) ++received_count_[static_cast<std::size_t>(own)];
}

void RarestFirst::arrive(int rank) {
  for (int part = 0; part < std::ssize(owner_); ++part) {
    if (owner_[static_cast<std::size_t>(part)] != rank) continue;
    holdings_.add(rank, part);
    ++sends_count_[static_cast<std::size_t>(rank)];
    if (ranks_ > 1) open_.insert(std::ranges::lower_bound(open_, part), part);
  }
}

template <typename Number>
void RarestFirst::sort_stably(std::vector<int>& list, std::size_t numbers, Number number) {
  begin_of_number_.assign(numbers, 0);
  for (const int one : list) ++begin_of_number_[static_cast<std::size_t>(number(one))];
  std::exclusive_scan(begin_of_number_.begin(), begin_of_number_.end(), begin_of_number_.begin(),
                      0);
  sorted_.resize(list.size());
  for (const int one : list) {
    int& next = begin_of_number_[static_cast<std::size_t>(number(one))];
    sorted_[static_cast<std::size_t>(next++)] = one;
  }
  list.swap(sorted_);
}

/// Orders ranks: those that lack most receive first, so that nobody is left behind; those that have
/// least to send send first, since others can make themselves useful otherwise.
void RarestFirst::set_order() {
  const auto count_in = [](const std::vector<int>& counts) {
    return [&counts](int i) { return counts[static_cast<std::size_t>(i)]; };
  };
  order_.parts = open_;
  sort_stably(order_.parts, received_count_.size() + 1, count_in(holders_count_));
  sort_stably(order_.receivers, owner_.size() + 1, count_in(received_count_));
  sort_stably(order_.senders, owner_.size() + 1, count_in(sends_count_));
}

void RarestFirst::move(const PartMove& move) {
  holdings_.add(move.to, move.part);
  ++holders_count_[static_cast<std::size_t>(move.part)];
  ++received_count_[static_cast<std::size_t>(move.to)];
  ++sends_count_[static_cast<std::size_t>(move.to)];
  --missing_;
}

const std::vector<PartMove>& RarestFirst::next_slot() {
  set_order();
  const std::vector<PartMove>& moves = matching_.find(order_);
  for (const PartMove& one : moves) move(one);
  std::erase_if(
      open_, [this](int part) { return holders_count_[static_cast<std::size_t>(part)] == ranks_; });
  return moves;
}

namespace {

double mean_block_bytes(const Problem& problem) {
  double total = 0;
  for (int block = 0; block < problem.ranks; ++block) {
    total += static_cast<double>(problem.bytes(block));
  }
  return total / problem.ranks;
}

/// Returns the time of a part's message; the problem's time of a message is that of a block of mean
/// size.
double slot_us(const Problem& problem, std::int64_t part_bytes) {
  const double of_bytes = std::max(problem.message_us - problem.start_us, 0.0);
  return problem.start_us + of_bytes * static_cast<double>(part_bytes) / mean_block_bytes(problem);
}

}  // namespace

SlotClock::SlotClock(const Problem& problem, std::int64_t part_bytes)
    : order_(by_arrival(problem)) {
  constexpr double ps_per_us = 1e6;
  constexpr double max_ps = 1e18;  // eleven days
  for (const int rank : order_) {
    const double us = problem.arrival_us[static_cast<std::size_t>(rank)];
    ps_.push_back(std::llround(std::clamp(us * ps_per_us, 0.0, max_ps)));
  }
  slot_ps_ = std::llround(std::clamp(slot_us(problem, part_bytes) * ps_per_us, 1.0, max_ps));
  now_ps_ = ps_.front();
  real_ps_ = static_cast<double>(now_ps_);
}

int SlotClock::next() {
  if (next_ == order_.size()) return -1;
  // Slots that are no whole number of picoseconds stay in line with ranks a message apart.
  constexpr std::int64_t tolerance = 1024;
  return ps_[next_] <= now_ps_ + slot_ps_ / tolerance ? order_[next_++] : -1;
}

void SlotClock::pass_slot() {
  now_ps_ = std::min(now_ps_, ps_.back()) + slot_ps_;
  real_ps_ += static_cast<double>(slot_ps_);
}

void SlotClock::wait() {
  now_ps_ = ps_[next_];
  real_ps_ = static_cast<double>(now_ps_);
}

std::vector<double> SlotClock::arrivals_ps() const {
  std::vector<double> of_ranks(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    of_ranks[static_cast<std::size_t>(order_[i])] = static_cast<double>(ps_[i]);
  }
  return of_ranks;
}

Slots::Slots(const Problem& problem, std::int64_t segments)
    : problem_(problem),
      segmentation_{
          .bytes = std::max<std::int64_t>((problem.largest_bytes() + segments - 1) / segments, 1),
          .unit = problem.element_bytes} {
  std::vector<std::int64_t> bytes;
  for (int block = 0; block < problem.ranks; ++block) bytes.push_back(problem.bytes(block));
  segments_ = cut(bytes, segmentation_);
  std::vector<int> ranks = by_arrival(problem);
  std::ranges::reverse(ranks);
  for (const int rank : ranks) {
    for (int i = 0; i < segments_.count(rank); ++i) {
      const int part = segments_.first[static_cast<std::size_t>(rank)] + i;
      if (segments_.bytes[static_cast<std::size_t>(part)] == 0) continue;
      number_.push_back(part);
      owner_.push_back(rank);
    }
  }
}

}  // namespace gatherbench::algorithms
