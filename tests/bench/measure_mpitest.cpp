// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/contenders.h"
#include "bench/measure.h"
#include "mpi/buffers.h"

namespace gatherbench {
namespace {

struct Fixture {
  Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  Layout layout{std::vector<std::int64_t>(static_cast<std::size_t>(world.size()), 16)};
  std::vector<Contender> contenders = find_contenders(
      Collective::allgather, parse_algorithms("-a", "ring,bruck"), world.size(), Placement{});
  Buffer send{16};
  Buffer receive{layout.total() + CheckedBuffers::guard_bytes};
  CheckedBuffers checked{layout, world.rank(), send.data(), receive.data()};
  std::mt19937_64 random{1};

  std::vector<Timings> run(const MeasureSettings& settings, CheckedBuffers* check = nullptr) {
    make_communicators(Collective::allgather, contenders, world.get());
    std::vector<Runner> runners;
    for (const Contender& contender : contenders) {
      runners.push_back(
          prepare(contender, Collective::allgather, {}, layout, {}, send.data(), receive.data()));
    }
    return measure(runners, settings, check, random, world.get());
  }
};

TEST(Measure, KeepsEveryIterationOnRank0) {
  Fixture fixture;
  const auto timings = fixture.run({.iterations = 37, .warmup = 3, .record_ranks = true});
  ASSERT_EQ(timings.size(), 2U);
  for (const Timings& each : timings) {
    if (fixture.world.rank() != 0) {
      EXPECT_TRUE(each.iterations.empty() && each.rank_us.empty());
      continue;
    }
    const auto ranks = static_cast<std::size_t>(fixture.world.size());
    ASSERT_EQ(each.iterations.size(), 37U);
    ASSERT_EQ(each.rank_us.size(), 37U * ranks);
    for (std::size_t i = 0; i < 37; ++i) {
      const Iteration& it = each.iterations[i];
      const auto times = std::span(each.rank_us).subspan(i * ranks, ranks);
      double sum = 0;
      for (const double time : times) sum += time;
      EXPECT_DOUBLE_EQ(it.min_us, *std::ranges::min_element(times));
      EXPECT_DOUBLE_EQ(it.max_us, *std::ranges::max_element(times));
      EXPECT_NEAR(it.avg_us, sum / static_cast<double>(ranks), 1e-3);
      EXPECT_GE(it.run_us, it.max_us);
      EXPECT_GE(it.imbalance_us, 0);
      EXPECT_LE(it.run_us, it.max_us + it.imbalance_us + 1e-3);
    }
  }
}

TEST(Measure, EndsByTimeWithEqualCounts) {
  Fixture fixture;
  const auto timings = fixture.run({.iterations = 1'000'000'000, .warmup = 0, .max_time = 0.05});
  if (fixture.world.rank() != 0) return;
  EXPECT_GE(timings[0].iterations.size(), 1U);
  EXPECT_EQ(timings[0].iterations.size(), timings[1].iterations.size());
}

TEST(Measure, EndsByPrecision) {
  Fixture fixture;
  // So loose that it is met, if not by the fewest iterations then soon.
  const auto timings =
      fixture.run({.iterations = 1'000'000'000, .warmup = 0, .precision = 0.999, .max_time = 60});
  if (fixture.world.rank() != 0) return;
  EXPECT_GE(timings[0].iterations.size(), 10U);
  EXPECT_EQ(timings[0].iterations.size(), timings[1].iterations.size());
}

TEST(Measure, CheckedIterationsAreRight) {
  Fixture fixture;
  const auto timings = fixture.run({.iterations = 5}, &fixture.checked);
  for (const Timings& each : timings) EXPECT_EQ(each.fault, "");
}

// Only one rank sees a wrong byte, in a late iteration; all must hear of it.
TEST(Measure, AFaultOfOneRankReachesAll) {
  Fixture fixture;
  const Layout other(std::vector<std::int64_t>(static_cast<std::size_t>(fixture.world.size()), 8));
  const bool faulty = fixture.world.rank() == fixture.world.size() - 1;
  // What this rank checks against is another layout: its bytes are wrong there.
  CheckedBuffers misled(faulty ? other : fixture.layout, fixture.world.rank(), fixture.send.data(),
                        fixture.receive.data());
  const auto timings = fixture.run({.iterations = 3}, &misled);
  EXPECT_NE(timings[0].fault, "");
}

}  // namespace
}  // namespace gatherbench
