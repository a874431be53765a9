// SPDX-License-Identifier: BSD-3-Clause
//
// Both ends of a channel, in turn and as threads. `make test-sanitize` also builds this file with
// ThreadSanitizer.
#include "runtime/mpi/window/channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace gatherbench::mpi {
namespace {

using Bytes = std::vector<std::byte>;
constexpr std::size_t slot = Channel::slot_bytes;

/// Bytes that differ from transfer to transfer, and from those one slot further on.
Bytes pattern(std::size_t size, std::size_t transfer) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>(i + i / slot * 7 + transfer * 31);
  }
  return bytes;
}

std::array<Strided, 1> whole(Bytes& bytes) { return {{{bytes.data(), bytes.size()}}}; }

/// Returns the bytes of the pieces, one behind the other.
Bytes gathered(std::span<const Strided> pieces) {
  Bytes bytes;
  for (const Strided& piece : pieces) {
    for (std::size_t run = 0; run < piece.count; ++run) {
      const std::byte* const begin = piece.begin + run * piece.step;
      bytes.insert(bytes.end(), begin, begin + piece.each);
    }
  }
  return bytes;
}

/// Bytes on their way: what is left to put, what is left to take, and where they come in.
struct Transfer {
  /// The pieces outlive it.
  explicit Transfer(std::span<const Strided> pieces)
      : out(pieces), received(out.left()), to(whole(received)), in(to) {}
  explicit Transfer(Bytes& sent)
      : from(whole(sent)), out(from), received(sent.size()), to(whole(received)), in(to) {}
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  std::array<Strided, 1> from{};
  Cursor out;
  Bytes received;
  std::array<Strided, 1> to;
  Cursor in;
};

/// A channel with both ends in one thread.
class InTurn : public testing::Test {
 protected:
  std::unique_ptr<Channel> channel_ = std::make_unique<Channel>();
  PutEnd put_{*channel_};
  TakeEnd take_{*channel_};
};

TEST_F(InTurn, TakesWhatWasPut) {
  for (const std::size_t size : {std::size_t{1}, slot - 1, slot, slot + 1, Channel::slots * slot}) {
    Bytes sent = pattern(size, size);
    Transfer transfer(sent);
    EXPECT_FALSE(take_.advance(transfer.in)) << "nothing is there yet";
    EXPECT_TRUE(put_.advance(transfer.out));
    EXPECT_EQ(transfer.out.left(), 0U) << "it fits into the channel";
    EXPECT_TRUE(take_.advance(transfer.in));
    EXPECT_EQ(transfer.in.left(), 0U);
    EXPECT_EQ(transfer.received, sent) << size;
  }
}

TEST_F(InTurn, WaitsForAnEmptySlot) {
  Bytes sent = pattern((2 * Channel::slots + 1) * slot + 5, 0);
  Transfer transfer(sent);
  while (transfer.in.left() > 0) {
    const std::size_t left = transfer.out.left();
    EXPECT_EQ(put_.advance(transfer.out), left > 0);
    EXPECT_EQ(left - transfer.out.left(), std::min(left, Channel::slots * slot));
    EXPECT_FALSE(put_.advance(transfer.out)) << "all slots are full, or nothing is left";
    EXPECT_TRUE(take_.advance(transfer.in));
    EXPECT_FALSE(take_.advance(transfer.in));
  }
  EXPECT_EQ(transfer.received, sent);
}

TEST_F(InTurn, AnEmptyTransferMovesNothing) {
  Cursor none({});
  EXPECT_FALSE(put_.advance(none));
  EXPECT_FALSE(take_.advance(none));
  EXPECT_EQ(channel_->put, 0U);
}

TEST_F(InTurn, KeepsTheOrderOfTransfers) {
  Bytes first = pattern(slot, 1);
  Bytes second = pattern(3, 2);
  Transfer earlier(first);
  Transfer later(second);
  EXPECT_TRUE(put_.advance(earlier.out));
  EXPECT_TRUE(put_.advance(later.out));
  EXPECT_TRUE(take_.advance(earlier.in));
  EXPECT_TRUE(take_.advance(later.in));
  EXPECT_EQ(earlier.received, first);
  EXPECT_EQ(later.received, second);
}

TEST_F(InTurn, GathersAndScattersPieces) {
  Bytes sent = pattern(3 * slot, 0);
  // 300 runs of 12 bytes, of every 16; 7 bytes; what is left, but one byte between.
  const std::array<Strided, 3> from{{{sent.data(), 12, 300, 16},
                                     {sent.data() + 4800, 7},
                                     {sent.data() + 4808, sent.size() - 4808}}};
  const Bytes expected = gathered(from);
  Bytes received(expected.size());
  const std::array<Strided, 2> to{
      {{received.data(), 1}, {received.data() + 1, expected.size() - 1}}};
  Cursor out(from);
  Cursor in(to);
  EXPECT_EQ(out.left(), expected.size());
  while (in.left() > 0) {
    (void)put_.advance(out);
    (void)take_.advance(in);
  }
  EXPECT_EQ(received, expected);
}

// The check of the bytes sees a receiver that says "taken" too early.
TEST_F(InTurn, AFlagThatIsRaisedTooEarlyIsSeenInTheBytes) {
  Bytes sent = pattern((Channel::slots + 1) * slot, 0);
  Transfer transfer(sent);
  (void)put_.advance(transfer.out);
  channel_->taken.store(1);  // it has not
  EXPECT_TRUE(put_.advance(transfer.out));
  EXPECT_EQ(transfer.out.left(), 0U);
  (void)take_.advance(transfer.in);
  EXPECT_EQ(transfer.in.left(), 0U);
  const Bytes& received = transfer.received;
  EXPECT_FALSE(std::equal(sent.begin(), sent.begin() + slot, received.begin()));
  EXPECT_TRUE(std::equal(sent.begin() + slot, sent.end(), received.begin() + slot));
}

/// The same, where the receiver sees the sender's buffer.
class Referred : public testing::Test {
 protected:
  static constexpr std::size_t least = Channel::least_referred;
  Bytes memory_ = pattern(4 * least, 0);
  std::unique_ptr<Channel> channel_ = std::make_unique<Channel>();
  PutEnd put_{*channel_, memory_};
  TakeEnd take_{*channel_, memory_.data()};

  /// Puts and takes in turn until all has been taken; what came in.
  Bytes move(std::span<const Strided> from) {
    Transfer transfer(from);
    for (int turn = 0; transfer.in.left() > 0 && turn < 100; ++turn) {
      (void)put_.advance(transfer.out);
      (void)take_.advance(transfer.in);
    }
    EXPECT_EQ(transfer.in.left(), 0U);
    EXPECT_TRUE(put_.has_ended(transfer.out));
    return transfer.received;
  }
};

TEST_F(Referred, TheBufferIsLentUntilItHasBeenRead) {
  Transfer transfer(memory_);
  EXPECT_FALSE(put_.has_ended(transfer.out));
  EXPECT_TRUE(put_.advance(transfer.out));
  EXPECT_EQ(channel_->put, 1U) << "one slot for all of it";
  EXPECT_EQ(transfer.out.left(), 0U);
  EXPECT_FALSE(put_.has_ended(transfer.out)) << "it has not been read";
  EXPECT_FALSE(put_.advance(transfer.out));
  EXPECT_TRUE(take_.advance(transfer.in));
  EXPECT_TRUE(put_.has_ended(transfer.out));
  EXPECT_EQ(transfer.received, memory_);
}

TEST_F(Referred, ShortRunsAreCopied) {
  for (const std::size_t size : {least - 1, least, least + 1}) {
    const std::array<Strided, 1> from{{{memory_.data() + 5, size}}};
    Transfer transfer(from);
    EXPECT_TRUE(put_.advance(transfer.out));
    EXPECT_EQ(put_.has_ended(transfer.out), size < least) << size;
    EXPECT_TRUE(take_.advance(transfer.in));
    EXPECT_TRUE(put_.has_ended(transfer.out));
    EXPECT_EQ(transfer.received, gathered(from)) << size;
  }
}

TEST_F(Referred, WhatLiesElsewhereIsCopied) {
  Bytes elsewhere = pattern(slot, 3);
  Transfer transfer(elsewhere);
  EXPECT_TRUE(put_.advance(transfer.out));
  EXPECT_TRUE(put_.has_ended(transfer.out));
  std::ranges::fill(elsewhere, std::byte{255});
  EXPECT_TRUE(take_.advance(transfer.in));
  EXPECT_EQ(transfer.received, pattern(slot, 3));
}

TEST_F(Referred, MixesBothInOneTransfer) {
  Bytes elsewhere = pattern(slot + 9, 3);
  std::byte* const begin = memory_.data();
  // Short and long, of the memory and not, and long runs with gaps between them.
  const std::array<Strided, 6> from{{{begin + 1, 7},
                                     {elsewhere.data(), elsewhere.size()},
                                     {begin + 8, least + 1},
                                     {begin + 3, 12, 300, 16},
                                     {begin, least, 3, least},
                                     {begin + 2 * least, 2 * least}}};
  EXPECT_EQ(move(from), gathered(from));
}

TEST_F(Referred, OfMoreRunsThanSlots) {
  const std::array<Strided, 1> from{{{memory_.data(), least, 2 * Channel::slots + 1, 1}}};
  EXPECT_EQ(move(from), gathered(from));
}

// A receiver that says "taken" before it has read: the sender's buffer is written again, and the
// check of the bytes sees it.
TEST_F(Referred, AFlagThatIsRaisedTooEarlyIsSeenInTheBytes) {
  const Bytes sent = memory_;
  Transfer transfer(memory_);
  EXPECT_TRUE(put_.advance(transfer.out));
  channel_->taken.store(1);  // it has not
  EXPECT_TRUE(put_.has_ended(transfer.out));
  std::ranges::fill(memory_, std::byte{255});
  EXPECT_TRUE(take_.advance(transfer.in));
  EXPECT_NE(transfer.received, sent);
}

/// A stage from which two receivers read, with all ends in one thread.
class Staged : public testing::Test {
 protected:
  static constexpr std::size_t half = Stage::half_bytes;
  Bytes memory_ = Bytes(Stage::bytes);
  Stage stage_{memory_};
  std::array<std::unique_ptr<Channel>, 2> channels_ = {std::make_unique<Channel>(),
                                                       std::make_unique<Channel>()};
  PutEnd first_{*channels_[0]};
  PutEnd second_{*channels_[1]};
  std::array<PutEnd*, 2> both_ = {&first_, &second_};
  std::array<TakeEnd, 2> takes_ = {TakeEnd(*channels_[0], nullptr, memory_.data()),
                                   TakeEnd(*channels_[1], nullptr, memory_.data())};
};

TEST_F(Staged, BothReadWhatWasWrittenOnce) {
  Bytes sent = pattern(half, 0);
  Transfer one(sent);
  Transfer two(sent);
  EXPECT_TRUE(stage_.put(one.out, both_));
  EXPECT_EQ(one.out.left(), 0U);
  EXPECT_TRUE(first_.has_ended(one.out)) << "the sender's buffer is its own again";
  std::ranges::fill(sent, std::byte{255});
  EXPECT_EQ(channels_[0]->put, 1U) << "one slot for all of it";
  EXPECT_TRUE(takes_[0].advance(one.in));
  EXPECT_TRUE(takes_[1].advance(two.in));
  EXPECT_EQ(one.received, pattern(half, 0));
  EXPECT_EQ(two.received, pattern(half, 0));
}

TEST_F(Staged, AHalfIsFilledAgainWhenAllHaveReadIt) {
  Bytes sent = pattern(3 * half, 0);
  Transfer one(sent);
  Transfer two(sent);
  EXPECT_TRUE(stage_.put(one.out, both_));
  EXPECT_TRUE(stage_.put(one.out, both_));
  EXPECT_FALSE(stage_.put(one.out, both_)) << "nobody has read";
  EXPECT_TRUE(takes_[0].advance(one.in));
  EXPECT_FALSE(stage_.put(one.out, both_)) << "one has not read";
  EXPECT_TRUE(takes_[1].advance(two.in));
  EXPECT_TRUE(stage_.put(one.out, both_));
  EXPECT_TRUE(takes_[0].advance(one.in));
  EXPECT_TRUE(takes_[1].advance(two.in));
  EXPECT_EQ(one.received, sent);
  EXPECT_EQ(two.received, sent);
}

TEST_F(Staged, TransfersThatFitShareAHalf) {
  std::vector<Bytes> sent;
  for (std::size_t i = 0; i < 4; ++i) sent.push_back(pattern(half / 4 - 1, i));
  for (Bytes& one : sent) {
    Transfer transfer(one);
    EXPECT_TRUE(stage_.put(transfer.out, both_));
  }
  Bytes more = pattern(half, 9);
  Transfer next(more);
  EXPECT_TRUE(stage_.put(next.out, both_)) << "the other half is empty";
  Transfer last(more);
  EXPECT_FALSE(stage_.put(last.out, both_)) << "nobody has read";
  for (Bytes& one : sent) {
    Transfer transfer(one);
    EXPECT_TRUE(takes_[0].advance(transfer.in));
    EXPECT_EQ(transfer.received, one);
  }
}

TEST_F(Staged, WaitsForAnEmptySlotOfEach) {
  Bytes filling = pattern(Channel::slots * slot, 1);
  Transfer before(filling);
  EXPECT_TRUE(second_.advance(before.out));
  Bytes sent = pattern(half, 0);
  Transfer one(sent);
  EXPECT_FALSE(stage_.put(one.out, both_));
  EXPECT_EQ(channels_[0]->put, 0U) << "all or none";
  EXPECT_TRUE(takes_[1].advance(before.in));
  EXPECT_TRUE(stage_.put(one.out, both_));
}

// A receiver that says "taken" before it has read: the half is filled again, and the check of the
// bytes sees it.
TEST_F(Staged, AFlagThatIsRaisedTooEarlyIsSeenInTheBytes) {
  Bytes sent = pattern(3 * half, 0);
  Transfer one(sent);
  EXPECT_TRUE(stage_.put(one.out, both_));
  EXPECT_TRUE(stage_.put(one.out, both_));
  channels_[0]->taken.store(1);
  channels_[1]->taken.store(1);  // they have not
  EXPECT_TRUE(stage_.put(one.out, both_));
  EXPECT_TRUE(takes_[0].advance(one.in));
  EXPECT_NE(one.received, sent);
}

// The first receiver needs all of its bytes before the second one reads any.
TEST_F(Staged, AReceiverThatReadsNothingHoldsUpNoOther) {
  Bytes sent = pattern(5 * half, 0);
  Transfer one(sent);
  Transfer two(sent);
  Copies copies;
  copies.put(both_, one.from, stage_);
  for (int turn = 0; one.in.left() > 0 && turn < 100000; ++turn) {
    (void)copies.advance();
    (void)takes_[0].advance(one.in);
  }
  EXPECT_EQ(one.received, sent);
  while (two.in.left() > 0) {
    (void)copies.advance();
    (void)takes_[1].advance(two.in);
  }
  EXPECT_EQ(two.received, sent);
  (void)copies.advance();
  EXPECT_TRUE(copies.done());
}

TEST_F(Staged, ShortTransfersGoBySlots) {
  for (const std::size_t size : {Stage::least_for_several - 1, Stage::least_for_several}) {
    Bytes sent = pattern(size, 0);
    Transfer one(sent);
    Copies copies;
    const Held expected = size < Stage::least_for_several ? Held::bytes : Held::staged;
    const std::uint64_t put = channels_[0]->put;
    copies.put(both_, one.from, stage_);
    (void)copies.advance();
    EXPECT_EQ(channels_[0]->held[put % Channel::slots], expected) << size;
    Transfer two(sent);
    EXPECT_TRUE(takes_[0].advance(one.in));
    EXPECT_TRUE(takes_[1].advance(two.in));
    EXPECT_EQ(one.received, sent);
  }
}

/// A rank as a thread: its number, the channel that leads to it, and the memory that it sends from,
/// if its peer sees that.
struct Side {
  std::size_t number;
  Channel& channel;
  Bytes memory;
};

/// Exchanges transfers with a peer again and again, as a rank does in its steps, with sizes around
/// that of a slot. Returns how many transfers came in wrong.
int exchange(Side& own, Side& peer) {
  PutEnd put(peer.channel, own.memory);
  TakeEnd take(own.channel, peer.memory.data());
  int wrong = 0;
  Copies copies;
  for (std::size_t transfer = 0; transfer < 200; ++transfer) {
    const std::size_t size =
        transfer % 3 == 0 ? transfer % 5 + 1 : transfer % (2 * Channel::slots) * slot + transfer;
    Bytes elsewhere = pattern(size, transfer + own.number);
    const bool is_seen = !own.memory.empty();
    if (is_seen) std::ranges::copy(elsewhere, own.memory.begin());
    const std::span<std::byte> sent = std::span(is_seen ? own.memory : elsewhere).first(size);
    Bytes received(size);
    const std::array<Strided, 1> out{{{sent.data(), size}}};
    const auto in = whole(received);
    copies.put(put, out);
    copies.take(take, in);
    while (!copies.done()) {
      if (!copies.advance()) std::this_thread::yield();
    }
    // The buffer is the caller's again, although the peer may not have taken all of the channel.
    std::ranges::fill(sent, std::byte{255});
    wrong += received == pattern(size, transfer + peer.number) ? 0 : 1;
  }
  return wrong;
}

TEST(Channel, TwoThreadsExchange) {
  // The two sides go by way of the slots, by reference, and one by the one, the other by the other.
  const std::size_t most = 2 * Channel::slots * slot + 200;
  for (const auto& [one, two] :
       {std::pair<std::size_t, std::size_t>{0, 0}, {most, most}, {most, 0}}) {
    const auto there = std::make_unique<Channel>();
    const auto back = std::make_unique<Channel>();
    Side first{4, *there, Bytes(one)};
    Side second{9, *back, Bytes(two)};
    int wrong = -1;
    std::thread other([&] { wrong = exchange(second, first); });
    EXPECT_EQ(exchange(first, second), 0);
    other.join();
    EXPECT_EQ(wrong, 0);
  }
}

/// The threads of a node share this: a stage of each rank, and the channels that lead to it.
struct Node {
  static constexpr std::size_t ranks = 3;
  std::array<std::array<std::unique_ptr<Channel>, ranks>, ranks> to;
  std::array<Bytes, ranks> stages;

  Node() {
    for (auto& channels : to) {
      for (auto& channel : channels) channel = std::make_unique<Channel>();
    }
    for (Bytes& stage : stages) stage.resize(Stage::bytes);
  }
};

/// Sends transfers to all other ranks, and receives theirs, again and again; returns how many came
/// in wrong.
int gather(Node& node, std::size_t own) {
  Stage stage(node.stages[own]);
  std::vector<PutEnd> puts;
  std::vector<TakeEnd> takes;
  std::vector<std::size_t> peers;
  for (std::size_t peer = 0; peer < Node::ranks; ++peer) {
    if (peer == own) continue;
    peers.push_back(peer);
    puts.emplace_back(*node.to[peer][own]);
    takes.emplace_back(*node.to[own][peer], nullptr, node.stages[peer].data());
  }
  const std::array<PutEnd*, Node::ranks - 1> ends{&puts.front(), &puts.back()};
  int wrong = 0;
  Copies copies;
  for (std::size_t transfer = 0; transfer < 60; ++transfer) {
    const std::array<std::size_t, 4> sizes = {Stage::half_bytes * 2 + 7, 1, Stage::half_bytes,
                                              Stage::least_for_several};
    const std::size_t size = sizes[transfer % sizes.size()];
    Bytes sent = pattern(size, transfer + own);
    const auto out = whole(sent);
    std::array<Bytes, Node::ranks - 1> received = {Bytes(size), Bytes(size)};
    const std::array in = {whole(received[0]), whole(received[1])};
    copies.put(ends, out, stage);
    for (std::size_t i = 0; i < takes.size(); ++i) copies.take(takes[i], in[i]);
    while (!copies.done()) {
      if (!copies.advance()) std::this_thread::yield();
    }
    std::ranges::fill(sent, std::byte{255});
    for (std::size_t i = 0; i < takes.size(); ++i) {
      wrong += received[i] == pattern(size, transfer + peers[i]) ? 0 : 1;
    }
  }
  return wrong;
}

TEST(Channel, ThreeThreadsGather) {
  Node node;
  std::array<int, Node::ranks> wrong{};
  std::vector<std::thread> others;
  for (std::size_t rank = 1; rank < Node::ranks; ++rank) {
    others.emplace_back([&, rank] { wrong[rank] = gather(node, rank); });
  }
  wrong[0] = gather(node, 0);
  for (std::thread& other : others) other.join();
  EXPECT_EQ(wrong, (std::array<int, Node::ranks>{}));
}

}  // namespace
}  // namespace gatherbench::mpi
