// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/arrival_aware/rarest_first.h"

#include <algorithm>
#include <numeric>

namespace gatherbench::algorithms {

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

}  // namespace gatherbench::algorithms
