// SPDX-License-Identifier: BSD-3-Clause
//
// All ranks run on one machine, whose steady clock is the truth behind their made-up clocks. Time
// between two synchronisations is made up too, so that nothing depends on the machine's speed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/handles.h"

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

  /// Returns what this rank's clock shows at a true time.
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
  /// Returns how far the ranks may be from rank 0, some time from now.
  std::int64_t claimed(const GlobalClock& clock, std::int64_t ahead_ns = 0) {
    return clock.error_ns(broadcast(shows(now_ns() + ahead_ns), world_.get()));
  }
  /// Returns how far they are, at worst. The time that passes from one call to the other is in the
  /// claim.
  std::int64_t off(const GlobalClock& clock, std::int64_t ahead_ns = 0) {
    const std::int64_t then_ns = broadcast(now_ns() + ahead_ns, world_.get());
    const std::int64_t wanted_ns = broadcast(shows(then_ns), world_.get());
    return highest(std::abs(clock.global_ns(shows(then_ns)) - wanted_ns), world_.get());
  }
};

TEST_F(MadeUpClocks, AreNeverFartherApartThanIsSaid) {
  GlobalClock clock = synchronised();
  for (int fits = 1; fits <= 3; ++fits) {
    for (const std::int64_t ahead_ns : {0 * second, 1 * second, 5 * second, 10 * second}) {
      const std::int64_t off_ns = off(clock, ahead_ns);
      EXPECT_LE(off_ns, claimed(clock, ahead_ns) + 9) << fits << " fits, " << ahead_ns;
    }
    // Backwards too: what is converted afterwards was timed before.
    EXPECT_LE(off(clock, -second), claimed(clock, -second) + 9) << fits << " fits, before";
    skip(second);
    clock.synchronise();
  }
}

TEST_F(MadeUpClocks, TheErrorGrowsWithTimeAndIsTheSameOnAllRanks) {
  const GlobalClock clock = synchronised();
  const std::int64_t now_ns = broadcast(shows(this->now_ns()), world_.get());
  std::int64_t before_ns = world_.size() > 1 ? 0 : -1;
  for (const std::int64_t ahead_ns : {0 * second, 1 * second, 5 * second, 10 * second}) {
    const std::int64_t error_ns = clock.error_ns(now_ns + ahead_ns);
    EXPECT_GT(error_ns, before_ns);
    EXPECT_EQ(error_ns, highest(error_ns, world_.get()));
    EXPECT_EQ(error_ns, -highest(-error_ns, world_.get()));
    before_ns = world_.size() > 1 ? error_ns : -1;
  }
}

TEST_F(MadeUpClocks, TheDriftIsTakenOut) {
  GlobalClock clock = synchronised();
  for (int i = 0; i < 3; ++i) {
    skip(1000 * second);
    clock.synchronise();
    EXPECT_LE(off(clock), claimed(clock) + 9);
    EXPECT_LE(off(clock, 1000 * second), claimed(clock, 1000 * second) + 9);
  }
  // The clocks of ranks 0 and 1 drift apart by 23 us a second.
  if (world_.size() > 1) {
    EXPECT_LT(off(clock, 1000 * second), 1000 * 23'000 / 2);
  }
}

TEST_F(MadeUpClocks, AnOldClockIsSynchronisedAgain) {
  GlobalClock clock = synchronised();
  const std::int64_t first_ns = clock.synchronised_ns();
  for (int i = 0; i < 3; ++i) clock.synchronise_if_due();  // at once: hardly ever due
  skip(10 * second);
  clock.synchronise_if_due();
  EXPECT_GE(clock.synchronised_ns() - first_ns, 10 * second);
  EXPECT_LE(off(clock, second), claimed(clock, second) + 9);
}

// A drift that changes is in the error from the next synchronisation on.
TEST_F(MadeUpClocks, WhatTheDriftDidUnpredictedItMayDoAgain) {
  GlobalClock clock = synchronised();
  for (int i = 0; i < 2; ++i) {
    skip(10 * second);
    clock.synchronise();
  }
  const std::int64_t now_here_ns = broadcast(now_ns(), world_.get());
  offset_ns_ = shows(now_here_ns) - now_here_ns;
  start_ns_ = now_here_ns;
  if (rank_ > 0) drift_ += 0.01;
  skip(10 * second);
  clock.synchronise();
  if (world_.size() > 1) {
    EXPECT_GE(claimed(clock, 10 * second), 10 * second / 200);
  }
}

TEST_F(MadeUpClocks, OnlyTheLatestPointsCount) {
  GlobalClock clock = synchronised();
  for (int drift = 0; drift < 2; ++drift) {
    // A rank that loses its processor meanwhile makes a point, and what is claimed, worse.
    const auto is_good = [&] { return claimed(clock) < second / 20; };
    for (int i = 0; i < 20 || (i < 200 && !is_good()); ++i) {
      skip(5 * second);
      clock.synchronise();
    }
    EXPECT_LE(off(clock), claimed(clock) + 9);
    EXPECT_TRUE(is_good());
    // All clocks but rank 0's run otherwise from here on; 16 points later the line knows only this.
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
  EXPECT_EQ(clock.error_ns(12), 0);
}

TEST(GlobalClock, OfOneRankIsItsOwnClock) {
  GlobalClock clock(MPI_COMM_SELF);
  clock.synchronise();
  EXPECT_EQ(clock.global_ns(12), 12);
  EXPECT_EQ(clock.error_ns(12), 0);
}

}  // namespace
}  // namespace gatherbench::mpi
