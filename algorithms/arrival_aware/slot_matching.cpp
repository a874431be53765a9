// SPDX-License-Identifier: BSD-3-Clause
//
// Greedily, part by part; then along shortest augmenting paths, many at a time (Hopcroft and Karp
// 1973). Who could send to whom follows from the parts: a table of all pairs would take longer to
// keep than the slots take to find.
#include "algorithms/arrival_aware/slot_matching.h"

#include <algorithm>
#include <utility>

namespace gatherbench::algorithms {

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

}  // namespace gatherbench::algorithms
