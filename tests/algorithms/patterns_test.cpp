// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "tests/schedule_of.h"
#include "tools/allgather_schedule/common/show_schedule.h"

namespace gatherbench::algorithms {
namespace {

/// Returns what show prints of one rank, or of all, on nodes of so many ranks each.
std::string shown(std::string_view name, int ranks, std::optional<int> rank, int on_node) {
  std::vector<int> node;
  for (int r = 0; r < ranks; ++r) node.push_back(r / on_node);
  const Choice chosen = choice(name);
  Problem problem = problem_for(chosen, ranks);
  problem.node = node;
  allgather_schedule::Shown found{chosen.label(), collectives::allgather, ranks, rank, {}, {}};
  for (int r = rank.value_or(0); r < (rank ? *rank + 1 : ranks); ++r) {
    problem.rank = r;
    found.schedules.push_back(make_schedule(*chosen.algorithm, problem));
  }
  return allgather_schedule::show_text(found);
}

std::string shown(std::string_view name, int ranks, int rank, int on_node = 1) {
  return shown(name, ranks, std::optional(rank), on_node);
}

/// Returns the steps alone, without the line that names the algorithm.
std::string steps_of(const std::string& text) { return text.substr(text.find('\n')); }

// Each entry begins with "NAME, P ranks" or "NAME, P ranks, rank R", below a line "on nodes of N"
// if nodes matter, and ends with an empty line.
TEST(Patterns, AreThoseOfThePapers) {
  std::ifstream file(GATHERBENCH_SOURCE "/tests/algorithms/patterns.txt");
  int entries = 0;
  int on_node = 1;
  std::string expected;
  const auto check = [&] {
    if (expected.empty()) return;
    const std::string head = expected.substr(0, expected.find('\n'));
    const std::size_t name_end = head.find(", ");
    const std::size_t rank_at = head.find(", rank ");
    const int ranks = std::stoi(head.substr(name_end + 2));
    std::optional<int> rank;
    if (rank_at != head.npos) rank = std::stoi(head.substr(rank_at + 7));
    EXPECT_EQ(shown(head.substr(0, name_end), ranks, rank, on_node), expected);
    expected.clear();
    on_node = 1;
    ++entries;
  };
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view nodes = "on nodes of ";
    if (line.starts_with('#')) continue;
    if (line.starts_with(nodes)) {
      on_node = std::stoi(line.substr(nodes.size()));
    } else if (line.empty()) {
      check();
    } else {
      expected += line + '\n';
    }
  }
  check();
  EXPECT_GE(entries, 50);
}

TEST(Patterns, BruckBeginsAtItsOwnBlock) {
  EXPECT_EQ(schedule_of("bruck", 3, 5).scratch_first_block, 3);
  EXPECT_EQ(schedule_of("bruck_in_place", 3, 5).scratch_first_block, 0);
}

// n barriers, spread evenly: 7 steps in 4 parts.
TEST(Patterns, BarriersAreSpread) {
  const Schedule schedule = schedule_of("pair_n_barriers:n=3", 0, 8);
  std::vector<std::size_t> before;
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    if (schedule.step(s).barrier) before.push_back(s);
  }
  EXPECT_EQ(before, (std::vector<std::size_t>{1, 3, 5}));
}

// A power of two with radix 2 is recursive doubling.
TEST(Patterns, RecursiveExchangeIsRecursiveDoubling) {
  for (int rank = 0; rank < 16; ++rank) {
    EXPECT_EQ(steps_of(shown("recursive_exchange", 16, rank)),
              steps_of(shown("recursive_doubling", 16, rank)));
  }
}

TEST(Patterns, LocalityBruckOnNodesOfOneRankIsBruck) {
  for (int rank = 0; rank < 7; ++rank) {
    const std::string bruck = shown("bruck_in_place", 7, rank);
    const std::string same = shown("locality_bruck", 7, rank);
    EXPECT_EQ(std::ranges::count(same, '\n'), std::ranges::count(bruck, '\n'));
  }
}

TEST(Patterns, OneLeaderOfManyIsTheLeader) {
  for (int rank = 0; rank < 7; ++rank) {
    EXPECT_EQ(steps_of(shown("multi_leader:leaders=1", 7, rank, 3)),
              steps_of(shown("leader", 7, rank, 3)));
  }
}

TEST(Patterns, OneRankHasNothingToDo) {
  for (const Algorithm& algorithm : all_algorithms()) {
    const Problem problem = problem_for(choice_of(algorithm), 1);
    if (algorithm.schedules() == nullptr || why_not(algorithm, problem).has_value()) continue;
    EXPECT_EQ(algorithm.schedules()->of_rank(problem).steps(), 0U) << algorithm.name;
    EXPECT_FALSE(algorithm.schedules()->of_rank(problem).broadcast_at_end) << algorithm.name;
  }
}

// A schedule of a million ranks: 64 MB. (That it takes under 0.2 s no test may say.)
TEST(Patterns, MillionRanks) {
  constexpr int p = 1 << 20;
  const Schedule schedule = schedule_of("ring", p - 1, p);
  ASSERT_EQ(schedule.steps(), static_cast<std::size_t>(p) - 1);
  EXPECT_EQ(schedule.step(p - 2).receives[0].blocks[0], (BlockRange{0, 1}));
  EXPECT_LE(schedule.bytes(), std::size_t{64} << 20);
  EXPECT_LE(schedule_of("sparbit", 5, p).bytes(), std::size_t{64} << 20);
}

TEST(Patterns, JsonHasTheDocumentedForm) {
  const std::vector<Schedule> schedules{schedule_of("ring", 0, 2), schedule_of("ring", 1, 2)};
  EXPECT_EQ(allgather_schedule::show_json(
                {"ring", collectives::allgather, 2, std::nullopt, schedules, {}}),
            "{\n\"algorithm\": \"ring\",\n\"collective\": \"allgather\",\n\"ranks\": "
            "2,\n\"schedules\": [\n"
            R"([{"sends":[{"peer":1,"blocks":[[0,1]]}],"receives":[{"peer":1,"blocks":[[1,1]]}]}],)"
            "\n"
            R"([{"sends":[{"peer":0,"blocks":[[1,1]]}],"receives":[{"peer":0,"blocks":[[0,1]]}]}])"
            "\n]\n}\n");
}

}  // namespace
}  // namespace gatherbench::algorithms
