// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/call_buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "bench/conditions/test_bytes.h"

namespace gatherbench::bench {
namespace {

constexpr int ranks = 3;
constexpr int rank = 1;
constexpr std::int64_t bytes = 100;

using Bytes = std::vector<std::byte>;

/// The buffers of a rank, filled and then altered everywhere.
struct Altered {
  explicit Altered(bool in_place)
      : contents(collectives::allgather, rank, ranks,
                 mpi::Layout(std::vector<std::int64_t>(ranks, bytes)),
                 in_place ? nullptr : send.data(), receive.data()) {
    for (Bytes* const buffer : {&send, &receive}) {
      for (std::byte& one : *buffer) one = ~one;
    }
  }

  Bytes send = Bytes(bytes);
  Bytes receive = Bytes(ranks * bytes + guard_bytes);
  CheckedBuffers contents;
  OtherBytes none;
};

bool is_right(const Bytes& buffer, int block, std::size_t offset) {
  return !first_wrong_byte(std::span(buffer).subspan(offset, bytes), block).has_value();
}

TEST(CallBuffers, FreshWritesWhatTheRankSendsAndNothingElse) {
  Altered buffers(false);
  const Bytes received = buffers.receive;
  CallBuffers calls({BufferUse::fresh}, buffers.send.data(), buffers.receive.data(),
                    &buffers.contents, buffers.none);
  EXPECT_FALSE(calls.next());
  EXPECT_FALSE(is_right(buffers.send, rank, 0));
  calls.make_ready(true);
  EXPECT_TRUE(is_right(buffers.send, rank, 0));
  EXPECT_EQ(buffers.receive, received);
}

TEST(CallBuffers, FreshWritesOtherBytesEachTimeWhereNobodyLooks) {
  Altered buffers(false);
  const Bytes received = buffers.receive;
  CallBuffers calls({BufferUse::fresh}, buffers.send.data(), buffers.receive.data(),
                    &buffers.contents, buffers.none);
  std::set<Bytes> sent;
  for (int call = 1; call <= 3; ++call) {
    calls.make_ready(false);
    EXPECT_FALSE(first_wrong_byte(buffers.send, rank, call, Fill::uniform).has_value());
    sent.insert(buffers.send);
  }
  EXPECT_EQ(sent.size(), 3);
  EXPECT_EQ(buffers.receive, received);
}

TEST(CallBuffers, ResultsOfUniformBlocksAreLookedAt) {
  Altered buffers(false);
  CallBuffers calls({BufferUse::fresh}, buffers.send.data(), buffers.receive.data(),
                    &buffers.contents, buffers.none);
  buffers.contents.renew();
  calls.make_ready(false);
  calls.make_ready(false);  // the third call: one by `renew`, two here
  for (int block = 0; block < ranks; ++block) {
    const auto place = static_cast<std::size_t>(block) * bytes;
    fill_block(std::span(buffers.receive).subspan(place, bytes), block, 3, Fill::uniform);
  }
  EXPECT_EQ(buffers.contents.fault(), "");
  fill_block(std::span(buffers.receive).subspan(0, bytes), 0, 2, Fill::uniform);
  EXPECT_NE(buffers.contents.fault(), "");  // block 0 is of the call before
}

TEST(CallBuffers, FreshInPlaceWritesTheOwnBlock) {
  Altered buffers(true);
  Bytes expected = buffers.receive;
  fill_block(std::span(expected).subspan(rank * bytes, bytes), rank);
  CallBuffers calls({BufferUse::fresh}, nullptr, buffers.receive.data(), &buffers.contents,
                    buffers.none);
  calls.make_ready(true);
  EXPECT_EQ(buffers.receive, expected);
}

TEST(CallBuffers, SameAndColdWriteNothing) {
  const OtherBytes other(1000);
  for (const BufferChoice choice :
       {BufferChoice{BufferUse::same}, BufferChoice{BufferUse::cold, 1000}}) {
    Altered buffers(false);
    const Bytes sent = buffers.send;
    const Bytes received = buffers.receive;
    CallBuffers calls(choice, buffers.send.data(), buffers.receive.data(), &buffers.contents,
                      other);
    EXPECT_FALSE(calls.next());
    calls.make_ready(true);
    EXPECT_EQ(buffers.send, sent);
    EXPECT_EQ(buffers.receive, received);
  }
}

void expect_each_pair_in_turn(bool in_place) {
  constexpr std::int64_t span = 10'000;
  const BufferRing ring = make_ring(span, in_place ? 0 : bytes, ranks * bytes);
  ASSERT_GT(ring.pairs, 2);
  Bytes memory(static_cast<std::size_t>(ring.total()));
  std::byte* const send = in_place ? nullptr : memory.data();
  std::byte* const receive = memory.data() + ring.send;
  CheckedBuffers contents(collectives::allgather, rank, ranks,
                          mpi::Layout(std::vector<std::int64_t>(ranks, bytes)), send, receive);
  CallBuffers calls(ring, send, receive, &contents);
  const Bytes filled = memory;
  EXPECT_EQ(calls.receive(), receive);
  std::set<std::byte*> used;
  for (std::int64_t call = 1; call <= ring.pairs; ++call) {
    EXPECT_TRUE(calls.next());
    calls.make_ready(true);
    EXPECT_TRUE(used.insert(calls.receive()).second) << "call " << call;
    EXPECT_EQ(calls.receive(), receive + call % ring.pairs * (ring.send + ring.receive));
    EXPECT_GE(calls.receive(), receive);
    EXPECT_LE(calls.receive() + ranks * bytes + guard_bytes, memory.data() + memory.size());
    // Each pair has what is sent, and received blocks that are wrong until they come.
    const std::byte* const own = in_place ? calls.receive() + rank * bytes : calls.send();
    EXPECT_FALSE(first_wrong_byte(std::span(own, bytes), rank).has_value());
    EXPECT_TRUE(first_wrong_byte(std::span<const std::byte>(calls.receive(), bytes), 0));
  }
  EXPECT_EQ(std::ssize(used), ring.pairs);
  EXPECT_EQ(calls.receive(), receive);  // around once
  EXPECT_EQ(memory, filled);            // to turn to a pair touches nothing
}

TEST(CallBuffers, RotateUsesEachPairInTurn) { expect_each_pair_in_turn(false); }
TEST(CallBuffers, RotateUsesEachPairInTurnInPlace) { expect_each_pair_in_turn(true); }

}  // namespace
}  // namespace gatherbench::bench
