// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/arrival_aware/rarest_first.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace gatherbench::algorithms {
namespace {

constexpr std::size_t word_bits = 64;

std::uint64_t bit(int i) { return std::uint64_t{1} << (static_cast<std::size_t>(i) % word_bits); }

std::size_t word(int i) { return static_cast<std::size_t>(i) / word_bits; }

int first_bit(std::size_t index, std::uint64_t bits) {
  return static_cast<int>(index * word_bits) + std::countr_zero(bits);
}

}  // namespace

RarestFirst::Bits::Bits(std::size_t rows, std::size_t columns)
    : width_((columns + word_bits - 1) / word_bits), words_(rows * width_) {}

void RarestFirst::Bits::set(int row, int column) { this->row(row)[word(column)] |= bit(column); }

RarestFirst::RarestFirst(int ranks, std::span<const int> owner)
    : ranks_(ranks),
      owner_(owner.begin(), owner.end()),
      holders_count_(owner.size(), 1),
      lacks_count_(static_cast<std::size_t>(ranks), static_cast<int>(owner.size())),
      sends_count_(lacks_count_.size(), 0),
      holders_(owner.size(), lacks_count_.size()),
      senders_(owner.size(), lacks_count_.size()),
      lacks_(lacks_count_.size(), owner.size()),
      sendable_(lacks_count_.size(), owner.size()),
      sender_of_(lacks_count_.size()),
      receiver_of_(lacks_count_.size()),
      part_to_(lacks_count_.size()),
      as_senders_(lacks_count_.size()),
      as_receivers_(lacks_count_.size()),
      free_(2, lacks_count_.size()),
      seen_(lacks_count_.size()) {
  if (ranks > 1) {
    open_.resize(owner.size());
    std::iota(open_.begin(), open_.end(), 0);
  }
  std::iota(as_senders_.begin(), as_senders_.end(), 0);
  std::iota(as_receivers_.begin(), as_receivers_.end(), 0);
  const int parts = static_cast<int>(owner.size());
  for (int part = 0; part < parts; ++part) {
    const int own = owner_[static_cast<std::size_t>(part)];
    holders_.set(part, own);
    --lacks_count_[static_cast<std::size_t>(own)];
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank != own) lacks_.set(rank, part);
    }
  }
}

void RarestFirst::arrive(int rank) {
  for (int part = 0; part < std::ssize(owner_); ++part) {
    if (owner_[static_cast<std::size_t>(part)] != rank) continue;
    senders_.set(part, rank);
    sendable_.set(rank, part);
    ++sends_count_[static_cast<std::size_t>(rank)];
  }
}

void RarestFirst::sort_by_rarity() {
  begin_of_count_.assign(static_cast<std::size_t>(ranks_) + 1, 0);
  std::ranges::sort(open_);
  const auto count = [this](int part) {
    return static_cast<std::size_t>(holders_count_[static_cast<std::size_t>(part)]);
  };
  for (const int part : open_) ++begin_of_count_[count(part)];
  std::exclusive_scan(begin_of_count_.begin(), begin_of_count_.end(), begin_of_count_.begin(), 0);
  sorted_.resize(open_.size());
  for (const int part : open_) {
    sorted_[static_cast<std::size_t>(begin_of_count_[count(part)]++)] = part;
  }
  open_.swap(sorted_);
}

void RarestFirst::match(int sender, int receiver) {
  sender_of_[static_cast<std::size_t>(receiver)] = sender;
  receiver_of_[static_cast<std::size_t>(sender)] = receiver;
}

/// Those who lack most receive first, so that nobody is left behind; those who have least to send
/// send first, since others can make themselves useful otherwise.
void RarestFirst::order_ranks() {
  std::ranges::stable_sort(as_receivers_, std::ranges::greater{}, [this](int rank) {
    return lacks_count_[static_cast<std::size_t>(rank)];
  });
  std::ranges::stable_sort(
      as_senders_, {}, [this](int rank) { return sends_count_[static_cast<std::size_t>(rank)]; });
}

void RarestFirst::match_greedily() {
  const std::span<Word> free_senders = free_.row(0);
  const std::span<Word> free_receivers = free_.row(1);
  const auto meet = [](std::span<const Word> one, std::span<const Word> other, Word flip) {
    for (std::size_t i = 0; i < one.size(); ++i) {
      if ((one[i] & (other[i] ^ flip)) != 0) return true;
    }
    return false;
  };
  const auto first_of = [](const std::vector<int>& order, std::span<const Word> free,
                           std::span<const Word> other, Word flip) {
    return *std::ranges::find_if(order, [&](int rank) {
      return (free[word(rank)] & (other[word(rank)] ^ flip) & bit(rank)) != 0;
    });
  };
  constexpr Word all = ~Word{0};
  for (const int part : open_) {
    const std::span<const Word> senders = senders_.row(part);
    const std::span<const Word> holders = holders_.row(part);
    while (meet(free_senders, senders, 0) && meet(free_receivers, holders, all)) {
      const int sender = first_of(as_senders_, free_senders, senders, 0);
      const int receiver = first_of(as_receivers_, free_receivers, holders, all);
      match(sender, receiver);
      part_to_[static_cast<std::size_t>(receiver)] = part;
      free_senders[word(sender)] &= ~bit(sender);
      free_receivers[word(receiver)] &= ~bit(receiver);
    }
  }
}

bool RarestFirst::can_send(int sender, int receiver) const {
  const std::span<const Word> sends = sendable_.row(sender);
  const std::span<const Word> lacks = lacks_.row(receiver);
  for (std::size_t i = 0; i < sends.size(); ++i) {
    if ((sends[i] & lacks[i]) != 0) return true;
  }
  return false;
}

/// By an augmenting path.
bool RarestFirst::find_sender(int receiver) {
  for (const bool matched : {false, true}) {
    for (int sender = 0; sender < ranks_; ++sender) {
      const auto s = static_cast<std::size_t>(sender);
      if (seen_[s] != 0 || (receiver_of_[s] >= 0) != matched || !can_send(sender, receiver)) {
        continue;
      }
      seen_[s] = 1;
      if (matched && !find_sender(receiver_of_[s])) continue;
      match(sender, receiver);
      part_to_[static_cast<std::size_t>(receiver)] = -1;
      return true;
    }
  }
  return false;
}

void RarestFirst::match_the_rest() {
  std::ranges::fill(seen_, 0);
  const auto is_idle = [this](int sender) {
    return receiver_of_[static_cast<std::size_t>(sender)] < 0 &&
           std::ranges::any_of(sendable_.row(sender), [](Word bits) { return bits != 0; });
  };
  int idle = 0;
  for (int rank = 0; rank < ranks_; ++rank) idle += is_idle(rank) ? 1 : 0;
  for (int receiver = 0; receiver < ranks_ && idle > 0; ++receiver) {
    const auto r = static_cast<std::size_t>(receiver);
    if (sender_of_[r] >= 0 || lacks_count_[r] == 0 || !find_sender(receiver)) continue;
    --idle;
    std::ranges::fill(seen_, 0);
  }
}

int RarestFirst::rarest(int sender, int receiver) const {
  const std::span<const Word> sends = sendable_.row(sender);
  const std::span<const Word> lacks = lacks_.row(receiver);
  int best = -1;
  for (std::size_t i = 0; i < sends.size(); ++i) {
    for (Word both = sends[i] & lacks[i]; both != 0; both &= both - 1) {
      const int part = first_bit(i, both);
      if (best < 0 || holders_count_[static_cast<std::size_t>(part)] <
                          holders_count_[static_cast<std::size_t>(best)]) {
        best = part;
      }
    }
  }
  return best;
}

void RarestFirst::move(const PartMove& move) {
  ++holders_count_[static_cast<std::size_t>(move.part)];
  --lacks_count_[static_cast<std::size_t>(move.to)];
  holders_.set(move.part, move.to);
  senders_.set(move.part, move.to);
  sendable_.set(move.to, move.part);
  ++sends_count_[static_cast<std::size_t>(move.to)];
  lacks_.row(move.to)[word(move.part)] &= ~bit(move.part);
}

const std::vector<PartMove>& RarestFirst::next_slot() {
  std::ranges::fill(sender_of_, -1);
  std::ranges::fill(receiver_of_, -1);
  for (int rank = 0; rank < ranks_; ++rank) {
    free_.set(0, rank);
    free_.set(1, rank);
  }
  sort_by_rarity();
  order_ranks();
  match_greedily();
  match_the_rest();
  moves_.clear();
  for (int to = 0; to < ranks_; ++to) {
    const int from = sender_of_[static_cast<std::size_t>(to)];
    if (from < 0) continue;
    const int part = part_to_[static_cast<std::size_t>(to)];
    moves_.push_back({from, to, part < 0 ? rarest(from, to) : part});
  }
  for (const PartMove& one : moves_) move(one);
  std::erase_if(
      open_, [this](int part) { return holders_count_[static_cast<std::size_t>(part)] == ranks_; });
  return moves_;
}

}  // namespace gatherbench::algorithms
