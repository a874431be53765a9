// SPDX-License-Identifier: BSD-3-Clause
//
// What an algorithm still has of an earlier call is seen in the bytes of the next one.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "bench/measure/measure.h"
#include "bench/options/operators.h"
#include "tests/bench/test_launch.h"

namespace gatherbench::bench {
namespace {

/// Gathers, in its first call or in all of them; otherwise it has the result from there.
class Gather final : public PreparedCall {
 public:
  Gather(const mpi::Buffer& send, mpi::Buffer& receive, int block, bool every_time)
      : send_(&send), receive_(&receive), block_(block), every_time_(every_time) {}
  void run() override {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (every_time_ || kept_.empty()) {
      kept_.resize(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(block_));
      MPI_Allgather(send_->data(), block_, MPI_BYTE, kept_.data(), block_, MPI_BYTE,
                    MPI_COMM_WORLD);
    }
    std::ranges::copy(kept_, receive_->data());
  }
  void use_buffers(const std::byte* /*send*/, std::byte* /*receive*/) override {}

 private:
  const mpi::Buffer* send_;
  mpi::Buffer* receive_;
  int block_;
  bool every_time_;
  std::vector<std::byte> kept_;
};

TEST(Measure, WhatAnEarlierCallBroughtIsWrong) {
  const mpi::Communicator world = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  constexpr int block = 16;
  const mpi::Layout layout(
      std::vector<std::int64_t>(static_cast<std::size_t>(world.size()), block));
  mpi::Buffer send(block);
  mpi::Buffer receive(layout.total() + guard_bytes);
  CheckedBuffers checked(collectives::allgather, world.rank(), world.size(), layout, send.data(),
                         receive.data());
  std::vector<std::unique_ptr<PreparedCall>> calls;
  for (const bool every_time : {true, false}) {
    calls.push_back(std::make_unique<Gather>(send, receive, block, every_time));
  }
  std::mt19937_64 random{1};
  mpi::GlobalClock clock;
  const auto launch = launch_of({.iterations = 3});
  const Case the_case = undelayed();
  const std::vector<Measured> measured = measure(calls, {launch, the_case}, {.checked = &checked},
                                                 random, clock, GroupComms(world.get()));
  EXPECT_EQ(measured[0].fault, "");
  EXPECT_NE(measured[1].fault, "");
}

TEST(Measure, CallsThatFollowEachOtherCombineOtherValues) {
  const Operator sum{&find_operation("--op", "sum"), &find_type("--type", "int")};
  const mpi::Layout layout(std::vector<std::int64_t>{64});
  mpi::Buffer send(64);
  mpi::Buffer receive(64 + guard_bytes);
  CheckedBuffers checked(collectives::allreduce, 0, 1, layout, send.data(), receive.data(), 0, sum);
  const std::vector<std::byte> first(send.data(), send.data() + 64);
  for (const bool is_first : {false, true, false}) {
    checked.renew();
    const std::vector<std::byte> now(send.data(), send.data() + 64);
    EXPECT_EQ(now == first, is_first);
    std::ranges::copy(now, receive.data());
    EXPECT_EQ(checked.fault(), "");
    std::ranges::copy(is_first ? now : first, receive.data());
    EXPECT_EQ(checked.fault().empty(), is_first);
  }
}

}  // namespace
}  // namespace gatherbench::bench
