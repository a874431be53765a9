// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/policies/star.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string_view>

#include "runtime/policies/choices.h"
#include "tests/runtime/policies/replay.h"
#include "tests/runtime/policies/star_machines.h"

namespace gatherbench::policies {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// Candidates in groups, named by letter and number.
std::vector<Candidate> grouped(const std::vector<std::vector<std::string>>& groups) {
  std::vector<Candidate> candidates;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const std::string& name : groups[group]) candidates.push_back({name, group, {}});
  }
  return candidates;
}

// The repositories of Faraj 2006, 4.3.2.
std::vector<std::vector<std::string>> allgather_groups() {
  return {{"linear"},
          {"recursive_doubling", "mesh2d", "mesh3d", "bruck"},
          {"shift", "pair"},
          {"shift_light_barrier", "pair_light_barrier"},
          {"shift_mpi_barrier", "pair_mpi_barrier"},
          {"topology_ring"}};
}
std::vector<std::vector<std::string>> alltoall_groups() {  // above 256 bytes
  return {{"simple"},
          {"ring", "pair"},
          {"ring_lb", "pair_lb"},
          {"ring_mb", "pair_mb"},
          {"sender", "receiver"}};
}
std::vector<std::vector<std::string>> allreduce_groups() {
  return {{"ag-bruck", "ag-2D", "ag-3D", "ag-rdb", "ag-ring"},
          {"1-simple", "1-2D", "1-3D", "1-rdb", "1-bruck", "1-ring", "1-ring-lb", "1-ring-mb",
           "1-TSLR"},
          {"2-ring,TSLR", "2-ring-lb,TSLR", "2-ring-mb,TSLR", "2-ring,ring", "2-ring-lb,ring-lb",
           "2-ring-mb,ring-mb"}};
}

/// Returns how many algorithms of the collective STAR-MPI tries in each group, for messages of so
/// many bytes, where these are all that can run.
std::map<std::size_t, int> tried_by_group(const collectives::Collective& collective,
                                          const algorithms::Problem& problem, std::int64_t bytes) {
  const std::vector<Candidate> candidates =
      candidates_of(all_choices(problem, true, collective), bytes, collective);
  std::map<std::size_t, int> count;
  for (const std::size_t each : star_candidates(candidates)) ++count[candidates[each].group];
  return count;
}

// Faraj 2006, 4.3.1.1 and 4.3.1.3. Eight ranks can run all of them if each has a host.
TEST(StarRepository, HasThePublishedAlgorithmsInTheirGroups) {
  const StarMachine machine = star_a();
  const algorithms::Problem eight = machine.placement.place({.ranks = 8});
  EXPECT_THAT(tried_by_group(collectives::allgather, eight, 1),
              ElementsAre(Pair(1, 1), Pair(2, 4), Pair(3, 2), Pair(4, 2), Pair(5, 2), Pair(6, 1)));
  EXPECT_THAT(tried_by_group(collectives::alltoall, eight, 256),
              ElementsAre(Pair(1, 1), Pair(2, 4), Pair(3, 2), Pair(4, 2), Pair(5, 2), Pair(6, 2)));
  EXPECT_THAT(tried_by_group(collectives::alltoall, eight, 257),
              ElementsAre(Pair(1, 1), Pair(3, 2), Pair(4, 2), Pair(5, 2), Pair(6, 2)));
  EXPECT_THAT(tried_by_group(collectives::allreduce, eight, 1 << 20),
              ElementsAre(Pair(1, 5), Pair(2, 9), Pair(3, 6)));
}

TEST(StarRepository, TakesWhatStandsInWhereNoSwitchesAreKnown) {
  const algorithms::Problem eight{.ranks = 8};
  EXPECT_THAT(tried_by_group(collectives::allreduce, eight, 1),
              ElementsAre(Pair(1, 5), Pair(2, 9), Pair(3, 6)));
  EXPECT_THAT(tried_by_group(collectives::bcast, eight, 1),
              ElementsAre(Pair(1, 1), Pair(2, 1), Pair(3, 1), Pair(4, 1), Pair(5, 1)));
  EXPECT_THAT(tried_by_group(collectives::alltoall, eight, 1),
              ElementsAre(Pair(1, 1), Pair(2, 4), Pair(3, 2), Pair(4, 2), Pair(5, 2)));  // no sixth
}

TEST(StarRepository, HasASecondOneForWhatTakesTheSwitches) {
  std::map<std::string_view, int> stand_ins;
  for (const collectives::Collective& each : collectives::all_collectives()) {
    const std::span<const StarAlgorithm> rows = star_repository(each);
    EXPECT_FALSE(rows.empty()) << each.name;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows[i].stands_in) continue;
      ++stand_ins[each.name];
      ASSERT_GT(i, 0U);
      EXPECT_EQ(rows[i].group, rows[i - 1].group) << rows[i].name;
      EXPECT_NE(rows[i - 1].name.find("topology_"), std::string_view::npos) << rows[i - 1].name;
    }
  }
  EXPECT_THAT(stand_ins, ElementsAre(Pair("allgather", 1), Pair("allgatherv", 1),
                                     Pair("allreduce", 4), Pair("bcast", 2)));
}

struct Selected {
  std::int64_t calls;
  std::string chosen;
  std::int64_t agreements;
};

/// Until the first monitored period: `best` is the fastest, its group close behind it.
Selected select(const std::vector<std::vector<std::string>>& groups, const std::string& best,
                bool grouping) {
  const std::vector<Candidate> candidates = grouped(groups);
  const auto fastest = std::ranges::find(candidates, best, &Candidate::name) - candidates.begin();
  const std::size_t group = candidates[static_cast<std::size_t>(fastest)].group;
  Star star(candidates, {.iterations = 10, .grouping = grouping});
  const Replay found = replay(star, 1000, [&](std::int64_t, std::size_t candidate) {
    if (static_cast<std::ptrdiff_t>(candidate) == fastest) return 1000;
    return candidates[candidate].group == group ? 1050 : 2000;
  });
  for (std::size_t i = 0; i < found.agreements.size(); ++i) {
    if (found.agreements[i].call_plan[0].timing == Timing::summed) {
      return {found.agreements[i].call, candidates[found.agreements[i].leader].name,
              static_cast<std::int64_t>(i)};
    }
  }
  return {};
}

// Faraj 2006, table 4.13: calls in Measure_Select, of the basic and the grouped form.
TEST(Star, MeasuresAsOftenAsPublished) {
  struct Row {
    std::vector<std::vector<std::string>> groups;
    std::string best;
    std::int64_t basic;
    std::int64_t grouped;
  };
  const std::vector<Row> table{
      {alltoall_groups(), "simple", 90, 50},   {alltoall_groups(), "pair_lb", 90, 60},
      {allgather_groups(), "linear", 120, 60}, {allgather_groups(), "topology_ring", 120, 60},
      {allreduce_groups(), "1-2D", 200, 110},  {allreduce_groups(), "1-bruck", 200, 110},
  };
  for (const Row& row : table) {
    const Selected basic = select(row.groups, row.best, false);
    EXPECT_EQ(basic.calls, row.basic) << row.best;
    EXPECT_EQ(basic.chosen, row.best);
    EXPECT_EQ(basic.agreements, 1);
    const Selected grouped = select(row.groups, row.best, true);
    EXPECT_EQ(grouped.calls, row.grouped) << row.best;
    EXPECT_EQ(grouped.chosen, row.best);
  }
}

/// One monitored period: the two times of its phases, each given as a mean.
CallPlan monitored(Star& star, std::int64_t calls_before_last, std::int64_t mean,
                   std::int64_t last_calls, std::int64_t last_mean) {
  return star.next(std::vector{calls_before_last * mean, last_calls * last_mean});
}

CallPlan period(std::size_t candidate, std::int64_t before_last, std::int64_t last) {
  return {{candidate, before_last, Timing::summed}, {candidate, last, Timing::summed}};
}

// By hand, from the text of 4.3.1.3. Times are in thousandths.
TEST(Star, FollowsTheBasicExample) {
  Star star(grouped({{"A"}, {"B"}, {"C"}}), {.iterations = 2, .grouping = false});
  EXPECT_THAT(star.next({}), ElementsAre(Phase{0, 2, Timing::each}, Phase{1, 2, Timing::each},
                                         Phase{2, 2, Timing::each}));
  EXPECT_EQ(star.next(std::vector<std::int64_t>{5000, 4000, 3000, 3200, 3400, 3500}),
            period(1, 2, 2));
  EXPECT_EQ(star.scores()[0].time_ns, 4000);
  EXPECT_EQ(star.scores()[1].time_ns, 3000);
  EXPECT_EQ(star.scores()[2].time_ns, 3400);
  // A: 2000 and 1000 above B's value; C: 400 and 500; B's own second call is no trial.
  EXPECT_EQ(star.excess_ns(), 3900);
  EXPECT_EQ(monitored(star, 2, 3100, 2, 3100), period(1, 6, 2));   // 3.1 < 1.1 x 3.4: delta 4
  EXPECT_EQ(monitored(star, 6, 3200, 2, 3200), period(1, 14, 2));  // delta 8
  // 9, three of 3.1, four of 4.5, eight of 3.6: the mean is 4.07, that of the last two 3.6.
  const std::int64_t sum = 9000 + 3 * 3100 + 4 * 4500 + 8 * 3600;
  EXPECT_EQ(star.next(std::vector<std::int64_t>{sum - 7200, 7200}), period(1, 2, 2));
  EXPECT_EQ(star.scores()[1].time_ns, 3000);  // it was bad, but not lately
  EXPECT_EQ(monitored(star, 2, 3600, 2, 3600), period(1, 6, 2));
  EXPECT_EQ(monitored(star, 6, 3600, 2, 3600), period(1, 14, 2));
  EXPECT_EQ(star.delta(), 8);
}

TEST(Star, FollowsTheGroupedExample) {
  const std::vector<Candidate> candidates = grouped({{"A1", "A2"}, {"B1", "B2", "B3"}, {"C"}});
  enum : std::size_t { A1, A2, B1, B2, B3, C };
  Star star(candidates, {.iterations = 2, .grouping = true});
  int monitored_calls = 0;
  bool is_selecting = true;  // until the first monitored period
  const std::map<std::size_t, std::int64_t> first{{A1, 5000}, {A2, 4200}, {B1, 4000},
                                                  {B2, 3000}, {B3, 3500}, {C, 6000}};
  const std::map<std::size_t, std::int64_t> later{{B1, 6500}, {B3, 5500}};
  const Replay found = replay(star, 60, [&](std::int64_t call, std::size_t candidate) {
    is_selecting = call < 10;
    if (is_selecting || candidate == A1 || candidate == A2) return first.at(candidate);
    if (candidate == B2) return ++monitored_calls > 4 ? std::int64_t{6000} : first.at(B2);
    return later.at(candidate);
  });
  const auto each = [](std::size_t candidate) { return Phase{candidate, 2, Timing::each}; };
  std::vector<std::pair<std::int64_t, CallPlan>> call_plans;
  for (const Agreement& agreement : found.agreements) {
    call_plans.emplace_back(agreement.call, agreement.call_plan);
  }
  using Entry = std::pair<std::int64_t, CallPlan>;
  EXPECT_THAT(call_plans,
              ElementsAre(Entry{0, {each(A1), each(B1), each(C)}}, Entry{6, {each(B2), each(B3)}},
                          Entry{10, period(B2, 2, 2)}, Entry{14, period(B2, 6, 2)},
                          Entry{22, period(B3, 2, 2)}, Entry{26, period(B1, 2, 2)},
                          Entry{30, {each(A2)}}, Entry{32, period(A2, 2, 2)},
                          Entry{36, period(A2, 6, 2)}, Entry{44, period(A2, 14, 2)}));
}

TEST(Star, DoublesItsPeriodsWithoutBound) {
  Star star(grouped({{"A"}, {"B"}}), {});
  star.next({});
  CallPlan call_plan = star.next(std::vector<std::int64_t>(20, 100));
  for (std::int64_t delta = 2; delta < std::int64_t{1} << 30; delta *= 2) {
    EXPECT_EQ(call_plan, period(0, (delta - 1) * 10, 10));
    call_plan = star.next(std::vector<std::int64_t>{(delta - 1) * 1000, 1000});
  }
}

TEST(Star, TenPercentAboveTheSecondIsTooMuch) {
  for (const std::int64_t mean : {1099, 1100}) {
    Star star(grouped({{"A"}, {"B"}}), {.iterations = 1});
    star.next({});
    star.next(std::vector<std::int64_t>{900, 1000});
    star.next(std::vector{mean, mean});
    EXPECT_EQ(star.leader(), mean == 1099 ? 0U : 1U);
  }
}

TEST(Star, OneCandidateAloneStays) {
  Star star(grouped({{"A"}}), {});
  EXPECT_THAT(star.next({}), ElementsAre(Phase{0, 10, Timing::each}));
  EXPECT_EQ(star.next(std::vector<std::int64_t>(10, 100)), period(0, 10, 10));
  EXPECT_EQ(star.next(std::vector<std::int64_t>{9000, 9000}), period(0, 30, 10));
}

}  // namespace
}  // namespace gatherbench::policies
