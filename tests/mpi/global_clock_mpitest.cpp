// SPDX-License-Identifier: BSD-3-Clause
//
// All ranks run on one machine, whose steady clock is the truth behind their made-up clocks. Time
// between two synchronisations is made up too, so that nothing depends on the machine's speed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "mpi/global_clock.h"
#include "mpi/handles.h"

namespace gatherbench::mpi {
namespace {

constexpr std::int64_t second = 1'000'000'000;

std::int64_t broadcast(std::int64_t value, MPI_Comm comm) {
  MPI_Bcast(&value, 1, MPI_INT64_T, 0, comm);
  return value;
}

std::int64_t highest(std::int64_t value, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, comm);
  return value;
}

/// Clocks that are seconds apart and drift by up to 50 ppm, either way.
class MadeUpClocks : public testing::Test {
 protected:
  Communicator world_ = Communicator::duplicate(MPI_COMM_WORLD);
  int rank_ = world_.rank();
  std::int64_t start_ns_ = broadcast(steady_ns(), world_.get());
  std::shared_ptr<std::int64_t> skipped_ns_ = std::make_shared<std::int64_t>(0);
  // Hosts that were started years apart.
  std::int64_t offset_ns_ = rank_ % 3 == 2 ? 100'000'000 * second : rank_ * 7 * second;
  double drift_ = 50e-6 * std::cos(rank_);

  [[nodiscard]] std::int64_t now_ns() const { return steady_ns() + *skipped_ns_; }

  /// What this rank's clock shows at a moment of the truth.
  [[nodiscard]] std::int64_t shows(std::int64_t true_ns) const {
    const auto passed_ns = static_cast<double>(true_ns - start_ns_);
    return true_ns + offset_ns_ + std::llround(drift_ * passed_ns);
  }
  GlobalClock synchronised() {
    return GlobalClock(world_.get(), [this] { return shows(now_ns()); });
  }
  /// Time passes on all clocks, and no rank reads its own meanwhile.
  void skip(std::int64_t ns) {
    MPI_Barrier(world_.get());
    *skipped_ns_ += ns;
    MPI_Barrier(world_.get());
  }
  /// How far the ranks are from rank 0, at worst, some time from now.
  std::int64_t off(const GlobalClock& clock, std::int64_t ahead_ns = 0) {
    const std::int64_t then_ns = broadcast(now_ns() + ahead_ns, world_.get());
    const std::int64_t wanted_ns = broadcast(shows(then_ns), world_.get());
    return highest(std::abs(clock.global_ns(shows(then_ns)) - wanted_ns), world_.get());
  }
};

TEST_F(MadeUpClocks, AgreeWithinTheErrorStated) {
  const GlobalClock clock = synchronised();
  // Two points 80 ms apart, each off by the error at most, say where the line is a second later;
  // half as much again for the drift that so short a time may not show.
  EXPECT_LE(off(clock, second), 40 * clock.error_ns() + 9);
  EXPECT_EQ(clock.error_ns() > 0, world_.size() > 1);
  EXPECT_EQ(clock.error_ns(), highest(clock.error_ns(), world_.get()));
  EXPECT_EQ(clock.error_ns(), -highest(-clock.error_ns(), world_.get()));
}

TEST_F(MadeUpClocks, TheDriftIsTakenOut) {
  GlobalClock clock = synchronised();
  std::int64_t error_ns = clock.error_ns();
  for (int i = 0; i < 3; ++i) {
    skip(1000 * second);
    clock.synchronise();
    // What the first line foretold wrongly, after a time so much longer, is in the error.
    EXPECT_LE(off(clock), clock.error_ns() + 9);
    error_ns = std::max(error_ns, clock.error_ns());
    EXPECT_LE(off(clock, 1000 * second), 4 * error_ns + 9);
  }
  // The clocks of ranks 0 and 1 drift apart by 23 us a second.
  if (world_.size() > 1) {
    EXPECT_LT(off(clock, 1000 * second), 1000 * 23'000 / 2);
  }
}

TEST_F(MadeUpClocks, OnlyTheLatestPointsCount) {
  GlobalClock clock = synchronised();
  for (int drift = 0; drift < 2; ++drift) {
    for (int i = 0; i < 20; ++i) {
      skip(second);
      clock.synchronise();
    }
    EXPECT_LE(off(clock), clock.error_ns() + 9);
    EXPECT_LT(clock.error_ns(), second / 20);
    // From here on all clocks but rank 0's run otherwise, which 16 points later is all there is.
    const std::int64_t now_here_ns = broadcast(now_ns(), world_.get());
    offset_ns_ = shows(now_here_ns) - now_here_ns;
    start_ns_ = now_here_ns;
    if (rank_ > 0) drift_ = 0.5;
  }
}

TEST_F(MadeUpClocks, ThereAndBack) {
  const GlobalClock clock = synchronised();
  for (const std::int64_t local : {shows(now_ns()), shows(now_ns()) + 86'400 * second}) {
    EXPECT_LE(std::abs(clock.local_ns(clock.global_ns(local)) - local), 1);
  }
}

TEST(GlobalClock, UnsynchronisedIsTheOwnClock) {
  GlobalClock clock;
  clock.synchronise();
  EXPECT_EQ(clock.global_ns(12), 12);
  EXPECT_EQ(clock.local_ns(12), 12);
  EXPECT_EQ(clock.error_ns(), 0);
}

TEST(GlobalClock, OfOneRankIsItsOwnClock) {
  GlobalClock clock(MPI_COMM_SELF);
  clock.synchronise();
  EXPECT_EQ(clock.global_ns(12), 12);
  EXPECT_EQ(clock.error_ns(), 0);
}

}  // namespace
}  // namespace gatherbench::mpi
