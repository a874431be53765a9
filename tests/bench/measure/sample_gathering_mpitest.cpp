// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>

#include "bench/measure/sample_gathering.h"
#include "runtime/mpi/handles.h"
#include "tests/bench/test_launch.h"

namespace gatherbench::bench {
namespace {

// Each rank's times are its number and 1 microseconds, or a multiple of that.
TEST(SampleGathering, ReducesATimeAsItsColumnSays) {
  const mpi::Communicator world = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  const mpi::GlobalClock clock;
  const auto launch = launch_of({.recorded = {formats::File::ranks}});
  const Case the_case = undelayed();
  const CaseSettings settings{launch, the_case};
  Delays delays(settings, false, world.get());
  delays.draw(0, 2);
  SampleGathering gathering(settings, delays, clock, world.get());
  gathering.begin_batch(2);
  const std::int64_t own_ns = 1000 * (world.rank() + 1);
  std::array<Sample, 2> samples{};
  for (std::size_t i = 0; i < 2; ++i) {
    samples[i] = {.round = i,
                  .call = i,
                  .start_ns = 0,
                  .arrival_ns = 0,
                  .exit_ns = 10 * own_ns,
                  .chosen = {}};
  }
  samples[1].put("write_us", 2 * own_ns);
  samples[1].put("helper_us", 3 * own_ns);
  const Timings timings = gathering.gather(samples, 7);
  if (world.rank() != 0) {
    EXPECT_TRUE(timings.iterations.empty() && timings.ranks.empty());
    return;
  }
  const double most = world.size();
  const double mean = (most + 1) / 2;
  ASSERT_EQ(timings.iterations.size(), 2U);
  for (const formats::Iteration& one : timings.iterations) {
    EXPECT_EQ(one["min_us"], 10);
    EXPECT_EQ(one["avg_us"], 10 * mean);
    EXPECT_EQ(one["max_us"], 10 * most);
    EXPECT_FALSE(one.has("read_us") || one.has("schedule_us") || one.has("asked_run_us"));
  }
  EXPECT_FALSE(timings.iterations[0].has("write_us") || timings.iterations[0].has("helper_us"));
  EXPECT_EQ(timings.iterations[1]["write_us"], 2 * mean);
  EXPECT_EQ(timings.iterations[1]["helper_us"], 3 * most);
  EXPECT_EQ(timings.iterations[1].number, 8);
  ASSERT_EQ(timings.ranks.size(), 2 * static_cast<std::size_t>(world.size()));
  EXPECT_EQ(timings.ranks.back().elapsed_us, 10 * most);
}

// Work takes as long as it takes.
TEST(SampleGathering, WorkThatTakesLongerIsNoLateness) {
  const mpi::Communicator world = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  const mpi::GlobalClock clock;
  auto launch = launch_of({});
  launch.wait = Wait::work;
  launch.compute_us = 100;
  const Case the_case = undelayed();
  const CaseSettings settings{launch, the_case};
  Delays delays(settings, false, world.get());
  delays.draw(0, 1);
  SampleGathering gathering(settings, delays, clock, world.get());
  gathering.begin_batch(1);
  const std::array<Sample, 1> samples{Sample{.round = 0,
                                             .call = 0,
                                             .start_ns = 1000,
                                             .computed_ns = 150'000,
                                             .arrival_ns = 153'000,
                                             .exit_ns = 160'000,
                                             .chosen = {}}};
  const Timings timings = gathering.gather(samples, 0);
  if (world.rank() != 0) return;
  EXPECT_EQ(timings.iterations.at(0).behind_us, 2);
}

}  // namespace
}  // namespace gatherbench::bench
