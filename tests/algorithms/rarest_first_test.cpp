// SPDX-License-Identifier: BSD-3-Clause
//
// The slots of clairvoyant against a simple search for the most pairs in each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "algorithms/arrival_aware/clairvoyant_slots.h"

namespace gatherbench::algorithms {
namespace {

/// The parts that each rank may send, by the arrivals and the moves so far.
class Ranks {
 public:
  Ranks(int ranks, std::vector<int> owner)
      : owner_(std::move(owner)),
        may_send_(static_cast<std::size_t>(ranks), std::vector<char>(owner_.size())) {}

  void arrive(int rank) {
    for (std::size_t part = 0; part < owner_.size(); ++part) {
      if (owner_[part] == rank) may_send_[static_cast<std::size_t>(rank)][part] = 1;
    }
  }
  void move(const PartMove& move) { may_send(move.to, move.part) = 1; }
  [[nodiscard]] bool can_go(int from, int to, int part) {
    return may_send(from, part) != 0 && may_send(to, part) == 0;
  }
  [[nodiscard]] bool have_all() {
    return std::ranges::all_of(may_send_, [](const std::vector<char>& parts) {
      return std::ranges::all_of(parts, [](char one) { return one != 0; });
    });
  }
  /// Returns how many ranks can send one part each, each to another rank.
  [[nodiscard]] int most_pairs() {
    const int ranks = static_cast<int>(may_send_.size());
    std::vector<std::vector<int>> receivers(may_send_.size());
    for (int from = 0; from < ranks; ++from) {
      for (int to = 0; to < ranks; ++to) {
        if (can_send(from, to)) receivers[static_cast<std::size_t>(from)].push_back(to);
      }
    }
    std::vector<int> sender_of(may_send_.size(), -1);
    int pairs = 0;
    for (int sender = 0; sender < ranks; ++sender) {
      std::vector<char> seen(may_send_.size());
      if (find_receiver(sender, receivers, sender_of, seen)) ++pairs;
    }
    return pairs;
  }

 private:
  char& may_send(int rank, int part) {
    return may_send_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(part)];
  }
  bool can_send(int from, int to) {
    for (int part = 0; part < std::ssize(owner_); ++part) {
      if (can_go(from, to, part)) return true;
    }
    return false;
  }
  static bool find_receiver(int sender, const std::vector<std::vector<int>>& receivers,
                            std::vector<int>& sender_of, std::vector<char>& seen) {
    for (const int receiver : receivers[static_cast<std::size_t>(sender)]) {
      const auto r = static_cast<std::size_t>(receiver);
      if (seen[r] != 0) continue;
      seen[r] = 1;
      if (sender_of[r] >= 0 && !find_receiver(sender_of[r], receivers, sender_of, seen)) continue;
      sender_of[r] = sender;
      return true;
    }
    return false;
  }

  std::vector<int> owner_;
  std::vector<std::vector<char>> may_send_;
};

std::vector<int> owners(int ranks, int segments) {
  std::vector<int> owner;
  for (int rank = ranks - 1; rank >= 0; --rank) {
    for (int i = 0; i < segments; ++i) owner.push_back(rank);
  }
  return owner;
}

/// Returns how many slots it takes until all have all, if rank r comes in slot arrival[r], in this
/// order. Each slot is checked.
int slots(int segments, const std::vector<int>& arrival) {
  const int p = static_cast<int>(arrival.size());
  RarestFirst spreading(p, owners(p, segments));
  Ranks ranks(p, owners(p, segments));
  int slot = 0;
  for (; !spreading.is_done(); ++slot) {
    for (int rank = 0; rank < p; ++rank) {
      if (arrival[static_cast<std::size_t>(rank)] != slot) continue;
      spreading.arrive(rank);
      ranks.arrive(rank);
    }
    const std::vector<PartMove> moves = spreading.next_slot();
    EXPECT_EQ(std::ssize(moves), ranks.most_pairs()) << "slot " << slot;
    std::set<int> senders;
    std::set<int> receivers;
    for (const PartMove& move : moves) {
      EXPECT_TRUE(ranks.can_go(move.from, move.to, move.part)) << "slot " << slot;
      EXPECT_TRUE(senders.insert(move.from).second) << "slot " << slot;
      EXPECT_TRUE(receivers.insert(move.to).second) << "slot " << slot;
    }
    for (const PartMove& move : moves) ranks.move(move);
    if (testing::Test::HasFailure()) return slot;
  }
  EXPECT_TRUE(ranks.have_all());
  return slot;
}

TEST(RarestFirst, AsManyTakePartAsCan) {
  std::mt19937 random(1);
  for (const int p : {2, 3, 5, 8, 17, 30, 70}) {
    for (const int segments : {1, 2, 3}) {
      if (p * segments > 100) continue;
      for (const int most : {1, p / 2, p, 2 * p, 4 * p}) {
        std::vector<int> arrival;
        for (int rank = 0; rank < p; ++rank) {
          arrival.push_back(static_cast<int>(random() % static_cast<unsigned>(most * segments)));
        }
        std::ranges::sort(arrival);
        EXPECT_GE(slots(segments, arrival), (p - 1) * segments);
        if (HasFailure()) FAIL() << p << " ranks, " << segments << " segments, within " << most;
      }
    }
  }
}

TEST(RarestFirst, WhatFewHoldGoesFirst) {
  RarestFirst spreading(6, owners(6, 1));
  for (const int rank : {0, 1, 2}) spreading.arrive(rank);
  spreading.next_slot();
  spreading.next_slot();
  spreading.arrive(5);
  // Part 0 is of rank 5, part 3 of rank 2.
  const std::vector<PartMove>& moves = spreading.next_slot();
  EXPECT_EQ(std::ranges::count(moves, 5, &PartMove::from), 1);
  EXPECT_EQ(std::ranges::find(moves, 5, &PartMove::from)->part, 0);
}

TEST(RarestFirst, WithOneRankThereIsNothingToDo) {
  EXPECT_TRUE(RarestFirst(1, owners(1, 3)).is_done());
}

}  // namespace
}  // namespace gatherbench::algorithms
