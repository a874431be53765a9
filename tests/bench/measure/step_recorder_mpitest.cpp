// SPDX-License-Identifier: BSD-3-Clause
//
// What is recorded of every algorithm's steps. Times are only put in order: how long they are is
// the machine's affair.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/registry.h"
#include "bench/measure/checked_buffers.h"
#include "bench/measure/measure.h"
#include "bench/measure/prepare.h"
#include "bench/measure/step_recorder.h"
#include "bench/plan/contenders.h"
#include "runtime/mpi/buffers.h"
#include "runtime/mpi/rank_model.h"
#include "tests/bench/one_group.h"
#include "tests/bench/test_launch.h"

namespace gatherbench::bench {
namespace {

constexpr std::int64_t block_bytes = 24;

/// All algorithms of a collective, on a layout of equal blocks.
struct Contest {
  explicit Contest(const collectives::Collective& kind)
      : collective(kind),
        contenders(find_contenders(kind, algorithms::parse_algorithms("-a", "all", kind),
                                   one_group(world.size(), placement))) {
    make_communicators(collective, contenders, world.get());
  }

  std::unique_ptr<PreparedCall> prepared(const Contender& contender) {
    return prepare(contender, {.launch = launch,
                               .layout = layout,
                               .placement = placement,
                               .buffers = {send.data(), receive.data()}});
  }

  const collectives::Collective& collective;
  Setup launch = launch_of({.collective = &collective});
  mpi::Communicator world = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  // Of one block a rank, or one a pair of ranks.
  mpi::Layout layout{std::vector<std::int64_t>(
      static_cast<std::size_t>(collective.blocks(world.size())), block_bytes)};
  algorithms::Placement placement;
  std::vector<Contender> contenders;
  mpi::Buffer send{layout.total()};
  mpi::Buffer receive{layout.total() + guard_bytes};
  CheckedBuffers checked{collective, world.rank(), world.size(),
                         layout,     send.data(),  receive.data()};
};

std::int64_t sum(std::int64_t own, MPI_Comm comm) {
  std::int64_t all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_INT64_T, MPI_SUM, comm);
  return all;
}

TEST(Steps, AreMarkedOnceEachAndTheResultIsTheSame) {
  for (const collectives::Collective* const kind :
       {&collectives::allgather, &collectives::alltoall}) {
    Contest contest(*kind);
    int recorded = 0;
    for (const Contender& contender : contest.contenders) {
      SCOPED_TRACE(contender.label);
      if (contender.why_not || contender.choice.algorithm->is<algorithms::ByArrivals>()) continue;
      const std::unique_ptr<PreparedCall> prepared = contest.prepared(contender);
      mpi::Plan* const plan = prepared->plan();
      EXPECT_EQ(
          plan != nullptr,
          !way_to_run(contender.choice)->why_no_steps(arrivals::Predictor::perfect).has_value());
      if (plan == nullptr) continue;
      ++recorded;
      for (int call = 0; call < 2; ++call) {
        std::vector<std::int64_t> marks(plan->marks() + 1, -1);
        contest.checked.poison();
        plan->run(std::span(marks).first(plan->marks()));
        EXPECT_EQ(contest.checked.fault(), "");
        EXPECT_EQ(marks.back(), -1);  // not one more
        marks.pop_back();
        EXPECT_GT(marks.front(), 0);
        EXPECT_TRUE(std::ranges::is_sorted(marks));
      }
      // Whatever one sends in some step, another receives.
      std::int64_t sent = 0;
      std::int64_t received = 0;
      for (std::size_t step = 0; step < plan->steps(); ++step) {
        const mpi::StepMessages messages = plan->messages(step);
        sent += messages.sent_bytes;
        received += messages.received_bytes;
        for (const std::vector<int>& peers : {messages.to, messages.from}) {
          EXPECT_TRUE(std::ranges::is_sorted(peers, std::ranges::less_equal()) || peers.empty());
          EXPECT_THAT(
              peers, testing::Each(testing::AllOf(testing::Ge(0), testing::Lt(contest.world.size()),
                                                  testing::Ne(contest.world.rank()))));
        }
      }
      EXPECT_EQ(sum(sent, contest.world.get()), sum(received, contest.world.get()));
    }
    EXPECT_GT(recorded, 5);
  }
}

TEST(Steps, OfEveryCallAndRankAreOnRank0) {
  Contest contest(collectives::allgather);
  std::vector<std::unique_ptr<PreparedCall>> prepared;
  for (const Contender& contender : contest.contenders) {
    if (contender.label == "ring" || contender.label == "shift_mpi_barrier" ||
        contender.label == "native") {
      prepared.push_back(contest.prepared(contender));
    }
  }
  std::mt19937_64 random{1};
  mpi::GlobalClock clock;
  const Case the_case = undelayed();
  for (const std::int64_t iterations : {3, 25}) {
    const auto launch = launch_of({.iterations = iterations, .recorded = {formats::File::steps}});
    const auto measured = measure(prepared, {launch, the_case}, {.checked = &contest.checked},
                                  random, clock, GroupComms(contest.world.get()));
    ASSERT_EQ(measured.size(), 3U);
    const auto ranks = static_cast<std::size_t>(contest.world.size());
    for (std::size_t which = 0; which < measured.size(); ++which) {
      const Timings& timings = measured[which].timings[0][0];
      const RecordedSteps& steps = timings.steps;
      EXPECT_EQ(measured[which].fault, "");
      if (contest.world.rank() != 0) {
        EXPECT_TRUE(steps.parts.empty() && steps.calls.empty());
        continue;
      }
      EXPECT_EQ(timings.iterations.size(), static_cast<std::size_t>(iterations));
      if (prepared[which]->plan() == nullptr) {
        EXPECT_TRUE(steps.parts.empty() && steps.calls.empty());
        continue;
      }
      // No more than timed ones.
      const auto calls = static_cast<std::size_t>(std::min(iterations, most_recorded_calls));
      ASSERT_EQ(steps.parts.size(), ranks);
      ASSERT_EQ(steps.calls.size(), calls * ranks);
      double first_us = 1;
      for (std::size_t i = 0; i < steps.calls.size(); ++i) {
        const RecordedSteps::Call& call = steps.calls[i];
        ASSERT_EQ(call.marks_us.size(), steps.parts[i % ranks].size() + 1);
        EXPECT_EQ(call.marks_us[0], 0);
        EXPECT_TRUE(std::ranges::is_sorted(call.marks_us));
        first_us = i % ranks == 0 ? call.arrived_us : std::min(first_us, call.arrived_us);
        if (i % ranks == ranks - 1) {
          EXPECT_EQ(first_us, 0);
        }
      }
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const std::vector<formats::PlanPart>& parts = steps.parts[rank];
        const bool is_ring = which == 0;
        EXPECT_EQ(parts.front().name, formats::part_before);
        EXPECT_EQ(parts.back().name, formats::part_after);
        for (std::size_t i = 0; i < parts.size(); ++i) {
          EXPECT_EQ(parts[i].step, static_cast<std::int64_t>(i) - 1);
          if (i == 0 || i + 1 == parts.size()) continue;
          EXPECT_EQ(parts[i].name, formats::part_step);
          EXPECT_EQ(parts[i].sent_bytes, block_bytes);
          EXPECT_EQ(parts[i].received_bytes, block_bytes);
          EXPECT_EQ(parts[i].barrier, is_ring || i == 1 ? 0 : 1);
        }
        ASSERT_EQ(parts.size(), ranks + 1);  // p - 1 steps, and before and after
        if (is_ring && ranks > 1) {
          EXPECT_EQ(parts[1].to, std::to_string((rank + 1) % ranks));
          EXPECT_EQ(parts[1].from, std::to_string((rank + ranks - 1) % ranks));
        }
      }
    }
  }
}

// A delay takes at least as long as it was asked for, so the two calls do, too.
TEST(Steps, AreOfCallsThatAreDelayedLikeTheTimedOnes) {
  Contest contest(collectives::allgather);
  std::vector<std::unique_ptr<PreparedCall>> calls;
  calls.push_back(contest.prepared(contest.contenders[0]));
  const arrivals::ArrivalPattern late =
      arrivals::parse_arrivals("--arrival", "delayed:rank=0,delay=40ms", {}).front();
  std::mt19937_64 random{1};
  mpi::GlobalClock clock;
  const std::int64_t start = mpi::steady_ns();
  auto launch = launch_of({.iterations = 1, .recorded = {formats::File::steps}});
  launch.wait = Wait::sleep;
  const Case the_case = case_with(late);
  const auto measured =
      measure(calls, {launch, the_case}, {}, random, clock, GroupComms(contest.world.get()));
  if (contest.world.rank() != 0) return;
  EXPECT_GE(mpi::steady_ns() - start, 2 * 40'000'000);
  EXPECT_EQ(measured[0].timings[0][0].steps.calls.size(),
            static_cast<std::size_t>(contest.world.size()));
}

TEST(Steps, NeighboursAmongPeersAreOneRun) {
  Contest contest(collectives::allgather);
  const auto linear = std::ranges::find(contest.contenders, "linear", &Contender::label);
  const std::unique_ptr<PreparedCall> prepared = contest.prepared(*linear);
  StepRecorder recorder(prepared->plan());
  const RecordedSteps steps = recorder.gather({}, contest.world.get());
  if (contest.world.rank() != 0) return;
  EXPECT_TRUE(steps.calls.empty());
  const int ranks = contest.world.size();
  for (int rank = 0; rank < ranks && ranks > 1; ++rank) {
    const auto run = [](int first, int last) {
      if (first > last) return std::string();
      return first == last ? std::to_string(first)
                           : std::to_string(first) + "-" + std::to_string(last);
    };
    const std::string below = run(0, rank - 1);
    const std::string above = run(rank + 1, ranks - 1);
    std::string both = below;
    both.append(below.empty() || above.empty() ? "" : ";").append(above);
    EXPECT_EQ(steps.parts[static_cast<std::size_t>(rank)][1].to, both);
    EXPECT_EQ(steps.parts[static_cast<std::size_t>(rank)][1].from, both);
  }
}

}  // namespace
}  // namespace gatherbench::bench
