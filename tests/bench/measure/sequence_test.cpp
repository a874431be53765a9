// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t most_bytes = 64;

/// What the calls of a test did, and what they are to do.
struct Calls {
  std::vector<int> made;
  int wrong = -1;  ///< the number of the one that writes a wrong byte
  std::vector<std::byte> send = std::vector<std::byte>(most_bytes);
  std::vector<std::byte> receive = std::vector<std::byte>(most_bytes + guard_bytes);
};

/// The all-gather of one rank.
class Copy final : public PreparedCall {
 public:
  Copy(Calls& calls, int shape, std::size_t bytes) : calls_(&calls), shape_(shape), bytes_(bytes) {}
  void run() override {
    std::copy_n(calls_->send.begin(), bytes_, calls_->receive.begin());
    if (std::ssize(calls_->made) == calls_->wrong) calls_->receive[1] ^= std::byte{1};
    calls_->made.push_back(shape_);
  }
  void use_buffers(const std::byte* /*send*/, std::byte* /*receive*/) override {}

 private:
  Calls* calls_;
  int shape_;
  std::size_t bytes_;
};

class SequenceTest : public testing::Test {
 protected:
  Sequence make(const BetweenCalls& between) {
    contents_.clear();
    std::vector<SequenceCall> shapes;
    contents_.reserve(2);
    for (int shape = 0; shape < 2; ++shape) {
      const std::int64_t bytes = shape == 0 ? 8 : 64;
      const std::vector<std::int64_t> blocks{bytes};
      contents_.emplace_back(collectives::allgather, 0, 1, mpi::Layout(blocks), calls_.send.data(),
                             calls_.receive.data());
      shapes.push_back({std::make_unique<Copy>(calls_, shape, static_cast<std::size_t>(bytes)),
                        &contents_.back(), "among ranks 0"});
    }
    return {std::move(shapes), order_, between};
  }

  Calls calls_;
  std::vector<RankCall> order_{{1, 0}, {0, 0}, {0, 0}, {1, 0}};
  std::vector<CheckedBuffers> contents_;
};

TEST_F(SequenceTest, MakesTheCallsInOrder) {
  Sequence sequence = make({});
  sequence.run();
  EXPECT_THAT(calls_.made, ElementsAre(1, 0, 0, 1));
  sequence.run();
  EXPECT_EQ(calls_.made.size(), 8);
}

TEST_F(SequenceTest, ChecksEachShapeOnce) {
  EXPECT_EQ(make({}).try_once(), "");
  EXPECT_THAT(calls_.made, ElementsAre(0, 1));
  calls_ = {.made = {}, .wrong = 1};
  EXPECT_THAT(make({}).try_once(), HasSubstr("among ranks 0: rank 0, block 0, byte 1: "));
}

TEST_F(SequenceTest, WhereItChecksItFindsTheOneWrongCall) {
  for (int wrong = 0; wrong < 4; ++wrong) {
    calls_ = {.made = {}, .wrong = wrong};
    Sequence sequence = make({.checks = true});
    EXPECT_TRUE(sequence.checks_each_run());
    sequence.run();
    EXPECT_THAT(sequence.fault(), HasSubstr("call " + std::to_string(wrong) + " of this rank"));
  }
  calls_ = {};
  Sequence sequence = make({.checks = true});
  sequence.run();
  EXPECT_EQ(sequence.fault(), "");
}

TEST_F(SequenceTest, WritesWhatItSendsBeforeEachCall) {
  Sequence sequence = make({.writes = true});
  std::ranges::fill(calls_.send, std::byte{0});
  sequence.run();
  EXPECT_NE(calls_.receive[5], std::byte{0});
}

TEST_F(SequenceTest, PassesTheGaps) {
  for (RankCall& call : order_) call.gap_ns = 1'000'000;
  for (const Wait wait : {Wait::busy, Wait::sleep}) {
    Sequence sequence = make({.wait = wait});
    const std::int64_t start = mpi::steady_ns();
    sequence.run();
    EXPECT_GE(mpi::steady_ns() - start, 4'000'000);
  }
}

}  // namespace
}  // namespace gatherbench::bench
