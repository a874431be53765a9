// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "algorithms/choice/parse_algorithms.h"
#include "bench/conditions/synchroniser.h"
#include "bench/host/counters.h"
#include "bench/measure/calls.h"
#include "bench/measure/measure.h"
#include "bench/measure/prepare.h"
#include "bench/plan/contenders.h"
#include "runtime/mpi/buffers.h"
#include "tests/bench/one_group.h"
#include "tests/bench/test_launch.h"
#include "tests/temporary_folder.h"

namespace gatherbench::bench {
namespace {

struct Fixture {
  mpi::Communicator world = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  mpi::Layout layout{std::vector<std::int64_t>(static_cast<std::size_t>(world.size()), 16)};
  algorithms::Placement placement;
  std::vector<Contender> contenders =
      find_contenders(collectives::allgather, algorithms::parse_algorithms("-a", "ring,bruck"),
                      one_group(world.size(), placement));
  mpi::Buffer send{16};
  mpi::Buffer receive{layout.total() + guard_bytes};
  CheckedBuffers checked{collectives::allgather, world.rank(), world.size(), layout, send.data(),
                         receive.data()};
  std::mt19937_64 random{1};
  mpi::GlobalClock clock;

  /// Of all ranks, with nothing beside them.
  struct Alone : Timings {
    std::string fault;
  };

  std::vector<Alone> run(const Options& options, CheckedBuffers* check = nullptr) {
    return run_case(launch_of(options), undelayed(), 0, check);
  }

  std::vector<Alone> run_case(const Setup& launch, const Case& the_case, double message_us = 0,
                              CheckedBuffers* check = nullptr) {
    make_communicators(collectives::allgather, contenders, world.get());
    std::vector<std::unique_ptr<PreparedCall>> calls;
    for (const Contender& contender : contenders) {
      calls.push_back(prepare(contender, {.launch = launch,
                                          .layout = layout,
                                          .placement = placement,
                                          .buffers = {send.data(), receive.data()}}));
    }
    std::vector<Alone> found;
    for (Measured& each : measure(calls, {launch, the_case, message_us}, {.checked = check}, random,
                                  clock, GroupComms(world.get()))) {
      EXPECT_EQ(each.timings.size(), 1U);
      EXPECT_EQ(each.timings[0].size(), 1U);
      found.push_back({std::move(each.timings[0][0]), std::move(each.fault)});
    }
    return found;
  }
};

TEST(Measure, KeepsEveryIterationOnRank0) {
  Fixture fixture;
  const auto timings =
      fixture.run({.iterations = 37, .warmup = 3, .recorded = {formats::File::ranks}});
  ASSERT_EQ(timings.size(), 2U);
  for (const Fixture::Alone& each : timings) {
    if (fixture.world.rank() != 0) {
      EXPECT_TRUE(each.iterations.empty() && each.ranks.empty());
      continue;
    }
    const auto ranks = static_cast<std::size_t>(fixture.world.size());
    ASSERT_EQ(each.iterations.size(), 37U);
    ASSERT_EQ(each.ranks.size(), 37U * ranks);
    for (std::size_t i = 0; i < 37; ++i) {
      const formats::Iteration& it = each.iterations[i];
      std::vector<double> times;
      for (const formats::RankTimes& rank : std::span(each.ranks).subspan(i * ranks, ranks)) {
        times.push_back(rank.elapsed_us);
        EXPECT_FALSE(rank.asked_us.has_value());  // nobody is delayed
      }
      double sum = 0;
      for (const double time : times) sum += time;
      EXPECT_DOUBLE_EQ(it["min_us"], *std::ranges::min_element(times));
      EXPECT_DOUBLE_EQ(it["max_us"], *std::ranges::max_element(times));
      EXPECT_NEAR(it["avg_us"], sum / static_cast<double>(ranks), 1e-3);
      EXPECT_GE(it["run_us"], it["max_us"]);
      EXPECT_GE(it["imbalance_us"], 0);
      EXPECT_LE(it["run_us"], it["max_us"] + it["imbalance_us"] + 1e-3);
    }
  }
}

/// Which of several has run, in their order.
class Logged : public PreparedCall {
 public:
  Logged(char name, std::string& log) : name_(name), log_(&log) {}
  void run() override { *log_ += name_; }
  void use_buffers(const std::byte* /*send*/, std::byte* /*receive*/) override {}

 private:
  char name_;
  std::string* log_;
};

std::string log_of(const Options& options, std::string_view names) {
  const auto launch = launch_of(options);
  const Case the_case = undelayed();
  const mpi::Communicator world = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  std::string log;
  std::vector<std::unique_ptr<PreparedCall>> calls;
  for (const char name : names) calls.push_back(std::make_unique<Logged>(name, log));
  std::mt19937_64 random{1};
  mpi::GlobalClock clock;
  for (const Measured& each :
       measure(calls, {launch, the_case}, {}, random, clock, GroupComms(world.get()))) {
    if (world.rank() != 0) continue;
    EXPECT_EQ(std::ssize(each.timings[0][0].iterations), options.iterations);
  }
  return log;
}

/// "aab": how often each ran without another one in between, a2 b1.
std::vector<std::pair<char, int>> runs_of(std::string_view log) {
  std::vector<std::pair<char, int>> runs;
  for (const char name : log) {
    if (runs.empty() || runs.back().first != name) runs.emplace_back(name, 0);
    ++runs.back().second;
  }
  return runs;
}

// A program's call finds what the program's last one left: so does every timed one.
TEST(Measure, EachTimedCallFollowsOneOfItsOwn) {
  for (const std::int64_t turn : {1, 3, 4}) {
    const std::string log = log_of({.iterations = 8, .warmup = 0, .order = {.turn = turn}}, "abc");
    std::map<char, int> timed;
    for (const auto& [name, calls] : runs_of(log)) timed[name] += calls - 1;
    for (const auto& [name, calls] : timed) EXPECT_GE(calls, 8) << name << ": " << log;
    // Where a turn is the last of its round and the first of the next, it needs no call more.
    EXPECT_LE(std::ssize(log), 3 * (8 + (8 + turn - 1) / turn));
  }
}

TEST(Measure, OneAloneHasNoCallThatIsNotCounted) {
  EXPECT_EQ(log_of({.iterations = 7, .warmup = 2, .order = {.turn = 3}}, "a"), std::string(9, 'a'));
}

// Hosts' counters hold the calls that begin turns, too.
TEST(Measure, CountersAreToldOfEveryCallInBetween) {
  const mpi::Communicator world = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  const TemporaryFolder folder;
  folder.put("proc/stat", "ctxt 100");
  Nodes nodes;
  nodes.of_rank.assign(static_cast<std::size_t>(world.size()), 0);
  nodes.hosts = {"h0"};
  CounterRecorder counters(nodes, world.get(), folder.path());
  const auto launch = launch_of({.iterations = 6, .warmup = 3, .order = {.turn = 2}});
  const Case the_case = undelayed();
  std::string log;
  std::vector<std::unique_ptr<PreparedCall>> calls;
  for (const char name : {'a', 'b'}) calls.push_back(std::make_unique<Logged>(name, log));
  std::mt19937_64 random{1};
  mpi::GlobalClock clock;
  measure(calls, {launch, the_case}, {.counters = &counters}, random, clock,
          GroupComms(world.get()));
  const std::vector<formats::CounterChange> changes = counters.gather();
  if (world.rank() != 0) return;
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].calls, std::ssize(log) - 2 * 3);  // all but the warm-up
  EXPECT_GT(changes[0].calls, 2 * 6);
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
  for (const Fixture::Alone& each : timings) EXPECT_EQ(each.fault, "");
}

// Only one rank sees a wrong byte, in a late iteration; all must hear of it.
TEST(Measure, AFaultOfOneRankReachesAll) {
  Fixture fixture;
  const mpi::Layout other(
      std::vector<std::int64_t>(static_cast<std::size_t>(fixture.world.size()), 8));
  const bool faulty = fixture.world.rank() == fixture.world.size() - 1;
  // What this rank checks against is another layout: its bytes are wrong there.
  CheckedBuffers misled(collectives::allgather, fixture.world.rank(), fixture.world.size(),
                        faulty ? other : fixture.layout, fixture.send.data(),
                        fixture.receive.data());
  const auto timings = fixture.run({.iterations = 3}, &misled);
  EXPECT_NE(timings[0].fault, "");
}

arrivals::ArrivalPattern pattern(const std::string& text) {
  return arrivals::parse_arrivals("--arrival", text,
                                  [](const std::string&) { return std::string(); })[0];
}

std::vector<formats::RankTimes> of_iteration(const Timings& timings, std::size_t iteration,
                                             int ranks) {
  const auto p = static_cast<std::size_t>(ranks);
  const auto first = timings.ranks.begin() + static_cast<std::ptrdiff_t>(iteration * p);
  return {first, first + static_cast<std::ptrdiff_t>(p)};
}

TEST(Measure, EveryRankHasTheDelayThatItsPatternAsks) {
  for (const Wait wait : {Wait::busy, Wait::sleep, Wait::work}) {
    Fixture fixture;
    const int ranks = fixture.world.size();
    const arrivals::ArrivalPattern uniform = pattern("uniform:max=3ms");
    const double compute_us = 500;
    auto launch = launch_of({.iterations = 6, .seed = 5, .recorded = {formats::File::ranks}});
    launch.wait = wait;
    launch.compute_us = compute_us;
    const auto timings = fixture.run_case(launch, case_with(uniform));
    if (fixture.world.rank() != 0) continue;
    for (const Fixture::Alone& each : timings) {
      ASSERT_EQ(each.iterations.size(), 6U);
      for (std::size_t i = 0; i < 6; ++i) {
        const std::vector<double> drawn = arrivals::arrivals_us(uniform, ranks, 5, i, 0);
        const std::vector<formats::RankTimes> times = of_iteration(each, i, ranks);
        double worst_us = 0;
        double last_us = 0;
        for (std::size_t rank = 0; rank < times.size(); ++rank) {
          const double asked = times[rank].asked_us.value();
          const double achieved = times[rank].achieved_us.value();
          EXPECT_NEAR(asked, drawn[rank], 1e-3);  // whole nanoseconds
          // Never too early; but work may end before the time that it took when it was calibrated.
          EXPECT_GE(achieved, asked - (wait == Wait::work ? compute_us : 1e-3));
          worst_us = std::max(worst_us, std::abs(achieved - asked));
          last_us = std::max(last_us, asked + times[rank].elapsed_us);
        }
        const auto [least, most] = std::ranges::minmax(drawn);
        EXPECT_NEAR(each.iterations[i]["asked_imbalance_us"], most - least, 2e-3);
        EXPECT_NEAR(each.iterations[i]["asked_run_us"], last_us - least, 2e-3);
        EXPECT_NEAR(each.iterations[i]["delay_error_us"], worst_us, 2e-3);
      }
    }
  }
}

/// A second passes on this clock from one case to the next.
TEST(Measure, TheClockIsSynchronisedInLaunchesOfShortCases) {
  constexpr std::int64_t second = 1'000'000'000;
  Fixture fixture;
  std::int64_t skipped_ns = 0;
  const double drift = 20e-6 * fixture.world.rank();
  const std::int64_t start_ns = mpi::steady_ns();
  const mpi::Communicator comm = mpi::Communicator::duplicate(fixture.world.get());
  fixture.clock = mpi::GlobalClock(comm.get(), [&] {
    const std::int64_t passed_ns = mpi::steady_ns() - start_ns + skipped_ns;
    return start_ns + passed_ns + std::llround(drift * static_cast<double>(passed_ns));
  });
  for (int number = 0; number < 4; ++number) {
    const std::int64_t before_ns = fixture.clock.synchronised_ns();
    MPI_Barrier(comm.get());
    skipped_ns += 6 * second;
    MPI_Barrier(comm.get());
    const auto timings = fixture.run({.iterations = 3});
    EXPECT_GE(fixture.clock.synchronised_ns(), before_ns + 6 * second);
    if (fixture.world.rank() != 0) continue;
    for (const formats::Iteration& one : timings[0].iterations) {
      EXPECT_EQ(one["clock_error_us"] > 0, fixture.world.size() > 1);
    }
  }
}

TEST(Measure, ATIsTheTimeOfAMessage) {
  Fixture fixture;
  const arrivals::ArrivalPattern late = pattern("delayed:rank=0,delay=3t");
  auto launch = launch_of({.iterations = 2, .recorded = {formats::File::ranks}});
  launch.wait = Wait::sleep;
  const auto timings = fixture.run_case(launch, case_with(late), 250);
  if (fixture.world.rank() != 0) return;
  EXPECT_EQ(timings[0].ranks[0].asked_us, 750);
  EXPECT_EQ(timings[1].ranks.back().asked_us, fixture.world.size() == 1 ? 750 : 0);
}

TEST(Measure, EverySynchronisationKeepsEveryIteration) {
  for (const Sync sync : {Sync::barrier, Sync::double_barrier, Sync::dissemination, Sync::window}) {
    Fixture fixture;
    auto launch = launch_of({.iterations = 20, .warmup = 2});
    launch.sync = sync;
    launch.wait = Wait::sleep;
    const auto timings = fixture.run_case(launch, undelayed());
    for (const Fixture::Alone& each : timings) {
      if (fixture.world.rank() != 0) continue;
      ASSERT_EQ(each.iterations.size(), 20U);
      EXPECT_EQ(std::ssize(each.counted()) +
                    std::ranges::count_if(each.iterations, &formats::Iteration::late),
                20);
      if (sync != Sync::window) {
        EXPECT_EQ(each.counted().size(), 20U);
      }
    }
  }
}

struct Groups {
  explicit Groups(int count) {
    std::vector<std::string> names;
    for (int rank = 0; rank < world.size(); ++rank) names.push_back(std::to_string(rank % count));
    const std::vector<int> node(names.size(), 0);
    groups = make_groups(names, {.node = node, .network = nullptr, .host = {}}, node);
  }
  mpi::Communicator world = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  std::vector<Group> groups;
};

// Each group is timed by its own ranks, and rank 0 has the times of all of them.
TEST(Measure, GroupsRunTogetherAndEachAlone) {
  for (const int count : {2, 3}) {
    const Groups cut(count);
    const GroupComms comms(cut.groups, cut.world.get());
    const Group& own = cut.groups[comms.number()];
    const mpi::Layout layout{std::vector<std::int64_t>(own.ranks.size(), 16)};
    std::vector<Contender> contenders = find_contenders(
        collectives::allgather, algorithms::parse_algorithms("-a", "ring,bruck"), cut.groups);
    make_communicators(collectives::allgather, contenders, comms.own());
    mpi::Buffer send{16};
    mpi::Buffer receive{layout.total() + guard_bytes};
    CheckedBuffers checked{
        collectives::allgather, mpi::rank_of(comms.own()), own.size(), layout, send.data(),
        receive.data()};
    auto launch = launch_of({.iterations = 7, .warmup = 2, .recorded = {formats::File::ranks}});
    launch.loads = {{.every_group = false}, {.beside = "groups"}};
    const Case the_case = undelayed();
    std::vector<std::unique_ptr<PreparedCall>> calls;
    for (const Contender& contender : contenders) {
      calls.push_back(prepare(contender, {.launch = launch,
                                          .layout = layout,
                                          .placement = own.placement,
                                          .buffers = {send.data(), receive.data()}}));
    }
    std::mt19937_64 random{1};
    mpi::GlobalClock clock;
    const std::vector<Measured> measured =
        measure(calls, {launch, the_case}, {.checked = &checked}, random, clock, comms);
    for (const Measured& each : measured) {
      EXPECT_EQ(each.fault, "");
      ASSERT_EQ(each.timings.size(), 2U);
      for (std::size_t group = 0; cut.world.rank() == 0 && group < cut.groups.size(); ++group) {
        std::vector<std::int64_t> alone;
        for (const formats::Iteration& one : each.timings[0][group].iterations) {
          alone.push_back(one.number);
        }
        std::vector<std::int64_t> expected;
        for (auto round = static_cast<std::int64_t>(group); round < 7;
             round += std::ssize(cut.groups)) {
          expected.push_back(round);
        }
        EXPECT_EQ(alone, expected) << group;
        const Timings& together = each.timings[1][group];
        ASSERT_EQ(together.iterations.size(), 7U);
        ASSERT_EQ(together.ranks.size(), 7U * cut.groups[group].ranks.size());
        for (std::size_t i = 0; i < 7; ++i) {
          EXPECT_EQ(together.iterations[i].number, static_cast<std::int64_t>(i));
          EXPECT_GE(together.iterations[i]["max_us"], together.iterations[i]["min_us"]);
        }
      }
    }
  }
}

// Back to back, the periods of a batch are from one call to the next, of whichever algorithm.
TEST(Measure, PeriodsAddUpToTheRun) {
  Fixture fixture;
  auto launch = launch_of({.iterations = 9, .warmup = 0});
  launch.sync = Sync::none;
  const auto timings = fixture.run_case(launch, undelayed());
  if (fixture.world.rank() != 0) return;
  int without = 0;
  for (const Fixture::Alone& each : timings) {
    for (const formats::Iteration& one : each.iterations) {
      without += one.has("period_us") ? 0 : 1;
      EXPECT_GE(one.has("period_us") ? one["period_us"] : one["max_us"],
                one["min_us"]);  // the last to leave left later
    }
  }
  EXPECT_GE(without, 1);  // the first call of each batch
  EXPECT_LT(without, 18);
}

TEST(Measure, OnlyBackToBackThereArePeriods) {
  Fixture fixture;
  const auto timings = fixture.run({.iterations = 3});
  for (const Fixture::Alone& each : timings) {
    for (const formats::Iteration& one : each.iterations) EXPECT_FALSE(one.has("period_us"));
  }
}

// What is computed beside a call lasts as long as the call alone, in as many pieces as tests.
TEST(Measure, ACallAndAComputationTogether) {
  Fixture fixture;
  make_communicators(collectives::allgather, fixture.contenders, fixture.world.get());
  const Case the_case = undelayed();
  for (const std::int64_t tests : {0, 3}) {
    auto launch = launch_of({.overlap = tests, .iterations = 5, .warmup = 0});
    launch.loads = {{}, {.beside = "computation", .computes = true}};
    std::vector<std::unique_ptr<PreparedCall>> calls;
    for (const Contender& contender : fixture.contenders) {
      calls.push_back(
          prepare(contender, {.launch = launch,
                              .layout = fixture.layout,
                              .placement = fixture.placement,
                              .buffers = {fixture.send.data(), fixture.receive.data()}}));
    }
    const std::vector<Measured> measured =
        measure(calls, {launch, the_case}, {.checked = &fixture.checked}, fixture.random,
                fixture.clock, GroupComms(fixture.world.get()));
    for (const Measured& each : measured) {
      EXPECT_EQ(each.fault, "");
      if (fixture.world.rank() != 0) continue;
      for (const formats::Iteration& one : each.timings[0][0].iterations) {
        EXPECT_FALSE(one.has("overlapped_us"));
      }
      std::vector<double> computed;
      for (const formats::Iteration& one : each.timings[1][0].iterations) {
        computed.push_back(one["overlapped_us"]);
        EXPECT_GE(one["avg_us"], computed.back());  // it is part of the call's time
      }
      ASSERT_EQ(computed.size(), 5U);
      EXPECT_GT(*std::ranges::min_element(computed), 0);
    }
  }
}

/// A call that takes a time of its own, asleep.
class Lasting final : public PreparedCall, public Splittable {
 public:
  explicit Lasting(std::int64_t ns) : ns_(ns) {}
  void run() override {
    begin();
    finish();
  }
  void use_buffers(const std::byte* /*send*/, std::byte* /*receive*/) override {}
  [[nodiscard]] Splittable* splittable() override { return this; }
  void begin() override { end_ns_ = mpi::steady_ns() + ns_; }
  bool test() override { return mpi::steady_ns() >= end_ns_; }
  void finish() override { wait_until(end_ns_, Wait::sleep); }

 private:
  std::int64_t ns_;
  std::int64_t end_ns_ = 0;
};

// A group's computation beside its calls lasts as long as these at least, whatever those of the
// other group take.
TEST(Measure, EachGroupComputesAsLongAsItsOwnCalls) {
  const Groups cut(2);
  if (cut.groups.size() < 2) return;
  const GroupComms comms(cut.groups, cut.world.get());
  auto launch = launch_of({.overlap = 0, .iterations = 5, .warmup = 0});
  launch.wait = Wait::sleep;
  launch.loads = {{.beside = "groups"}, {.beside = "groups and computation", .computes = true}};
  const Case the_case = undelayed();
  for (const std::size_t slower : {0, 1}) {
    std::vector<std::unique_ptr<PreparedCall>> calls;
    calls.push_back(std::make_unique<Lasting>(comms.number() == slower ? 20'000'000 : 200'000));
    std::mt19937_64 random{1};
    mpi::GlobalClock clock;
    const std::vector<Measured> measured =
        measure(calls, {launch, the_case}, {}, random, clock, comms);
    if (cut.world.rank() != 0) continue;
    EXPECT_GE(std::ranges::min(
                  formats::column(measured[0].timings[1][slower].iterations, "overlapped_us")),
              20'000);
  }
}

// Each rank may ask for a time of its own, as the ranks of groups do: twice the time is twice the
// rounds.
TEST(Measure, RoundsOfWorkAreInProportionToTheTimesThatRanksAskFor) {
  const mpi::Communicator world = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  const std::int64_t own = rounds_of_work(10'000.0 * (1 + world.rank()), world.get());
  std::int64_t first = own;
  mpi::require(MPI_Bcast(&first, 1, MPI_INT64_T, 0, world.get()), "MPI_Bcast");
  EXPECT_GT(first, 0);
  EXPECT_LE(std::abs(own - (1 + world.rank()) * first), 1 + world.rank());
}

TEST(Measure, AFaultNamesItsGroup) {
  const Groups cut(2);
  const GroupComms comms(cut.groups, cut.world.get());
  EXPECT_EQ(comms.named(""), "");
  const bool several = cut.groups.size() > 1;
  EXPECT_EQ(comms.named("rank 0"),
            several ? "group " + std::to_string(cut.world.rank() % 2) + ": rank 0" : "rank 0");
}

// Whoever arrives at the synchronisation last, none leaves it before.
TEST(Synchroniser, NobodyLeavesBeforeTheLastHasCome) {
  const mpi::Communicator world = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  const mpi::GlobalClock clock;
  for (const Sync sync : {Sync::barrier, Sync::double_barrier, Sync::dissemination, Sync::window}) {
    for (int last = 0; last < world.size(); ++last) {
      Synchroniser synchroniser(sync, Wait::sleep, clock, world.get());
      if (world.rank() == last) wait_until(mpi::steady_ns() + 2'000'000, Wait::sleep);
      std::int64_t came_ns = mpi::steady_ns();
      const Start start = synchroniser.start();
      EXPECT_LE(start.local_ns, mpi::steady_ns());
      mpi::require(MPI_Bcast(&came_ns, 1, MPI_INT64_T, last, world.get()), "MPI_Bcast");
      EXPECT_GE(start.local_ns, came_ns);
    }
  }
}

TEST(Synchroniser, AgreesOnAStartThatAllCanKeep) {
  const mpi::Communicator world = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  const mpi::GlobalClock clock;
  Synchroniser synchroniser(Sync::window, Wait::sleep, clock, world.get());
  bool in_time = false;
  for (int attempt = 0; attempt < 1000 && !in_time; ++attempt) {
    int late = synchroniser.start().missed ? 1 : 0;
    mpi::require(MPI_Allreduce(MPI_IN_PLACE, &late, 1, MPI_INT, MPI_MAX, world.get()),
                 "MPI_Allreduce");
    in_time = late == 0;
  }
  EXPECT_TRUE(in_time);  // the notice doubles until all can keep it
}

}  // namespace
}  // namespace gatherbench::bench
