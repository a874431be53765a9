// SPDX-License-Identifier: BSD-3-Clause
//
// The message patterns as the papers draw them: a name is a promise about who sends what to whom.
#include <gtest/gtest.h>

#include <string>

#include "inspect/show_schedule.h"
#include "tests/schedule_of.h"

namespace gatherbench::algorithms {
namespace {

std::string shown(std::string_view name, int ranks, int rank) {
  return inspect::show_text({std::string(name), ranks, rank, {schedule_of(name, rank, ranks)}, {}});
}

// Loch 2021, figures 11 and 13.
TEST(Patterns, Sparbit) {
  EXPECT_EQ(shown("sparbit", 5, 0),
            "sparbit, 5 ranks, rank 0\n"
            "step 0: sends {0} to 4; receives {1} from 1\n"
            "step 1: sends {0} to 2; receives {3} from 3\n"
            "step 2: sends {0 3} to 1; receives {4 2} from 4\n");
}

// Figure 4.
TEST(Patterns, Ring) {
  EXPECT_EQ(shown("ring", 6, 2),
            "ring, 6 ranks, rank 2\n"
            "step 0: sends {2} to 3; receives {1} from 1\n"
            "step 1: sends {1} to 3; receives {0} from 1\n"
            "step 2: sends {0} to 3; receives {5} from 1\n"
            "step 3: sends {5} to 3; receives {4} from 1\n"
            "step 4: sends {4} to 3; receives {3} from 1\n");
}

// Figure 5.
TEST(Patterns, NeighborExchange) {
  EXPECT_EQ(shown("neighbor_exchange", 6, 0),
            "neighbor_exchange, 6 ranks, rank 0\n"
            "step 0: sends {0} to 1; receives {1} from 1\n"
            "step 1: sends {0-1} to 5; receives {4-5} from 5\n"
            "step 2: sends {4-5} to 1; receives {2-3} from 1\n");
  EXPECT_EQ(shown("neighbor_exchange", 6, 1),
            "neighbor_exchange, 6 ranks, rank 1\n"
            "step 0: sends {1} to 0; receives {0} from 0\n"
            "step 1: sends {0-1} to 2; receives {2-3} from 2\n"
            "step 2: sends {2-3} to 0; receives {4-5} from 0\n");
}

// Figure 6.
TEST(Patterns, RecursiveDoubling) {
  EXPECT_EQ(shown("recursive_doubling", 8, 5),
            "recursive_doubling, 8 ranks, rank 5\n"
            "step 0: sends {5} to 4; receives {4} from 4\n"
            "step 1: sends {4-5} to 7; receives {6-7} from 7\n"
            "step 2: sends {4-7} to 1; receives {0-3} from 1\n");
}

// Figure 7; the blocks' order is that of the rotated buffer.
TEST(Patterns, Bruck) {
  for (const char* const name : {"bruck", "bruck_in_place"}) {
    EXPECT_EQ(shown(name, 10, 8), std::string(name) +
                                      ", 10 ranks, rank 8\n"
                                      "step 0: sends {8} to 7; receives {9} from 9\n"
                                      "step 1: sends {8-9} to 6; receives {0-1} from 0\n"
                                      "step 2: sends {8-9 0-1} to 4; receives {2-5} from 2\n"
                                      "step 3: sends {8-9} to 0; receives {6-7} from 6\n");
  }
  EXPECT_EQ(schedule_of("bruck", 3, 5).scratch_first_block, 3);
  EXPECT_EQ(schedule_of("bruck_in_place", 3, 5).scratch_first_block, 0);
}

// Faraj 2006, 4.1.1.1, in words.
TEST(Patterns, StageRepository) {
  EXPECT_EQ(shown("linear", 4, 2),
            "linear, 4 ranks, rank 2\n"
            "step 0: sends {2} to 0, {2} to 1, {2} to 3; receives {0} from 0, {1} from 1, {3} from "
            "3\n");
  EXPECT_EQ(shown("spread", 4, 2),
            "spread, 4 ranks, rank 2\n"
            "step 0: sends {2} to 3, {2} to 0, {2} to 1; receives {1} from 1, {0} from 0, {3} from "
            "3\n");
  EXPECT_EQ(shown("shift", 4, 1),
            "shift, 4 ranks, rank 1\n"
            "step 0: sends {1} to 2; receives {0} from 0\n"
            "step 1: sends {1} to 3; receives {3} from 3\n"
            "step 2: sends {1} to 0; receives {2} from 2\n");
  EXPECT_EQ(shown("pair", 4, 1),
            "pair, 4 ranks, rank 1\n"
            "step 0: sends {1} to 0; receives {0} from 0\n"
            "step 1: sends {1} to 3; receives {3} from 3\n"
            "step 2: sends {1} to 2; receives {2} from 2\n");
  EXPECT_EQ(shown("shift_light_barrier", 4, 1),
            "shift_light_barrier, 4 ranks, rank 1\n"
            "step 0: sends {1} to 2; receives {0} from 0\n"
            "step 1: sends {} to 3; receives {} from 3\n"
            "step 2: sends {1} to 3; receives {3} from 3\n"
            "step 3: sends {} to 2; receives {} from 0\n"
            "step 4: sends {1} to 0; receives {2} from 2\n");
  EXPECT_EQ(shown("shift_mpi_barrier", 3, 0),
            "shift_mpi_barrier, 3 ranks, rank 0\n"
            "step 0: sends {0} to 1; receives {2} from 2\n"
            "step 1, after a barrier: sends {0} to 2; receives {1} from 1\n");
  EXPECT_EQ(shown("mesh2d", 6, 4),
            "mesh2d, 6 ranks, rank 4\n"
            "step 0: sends {4} to 5, {4} to 3; receives {3} from 3, {5} from 5\n"
            "step 1: sends {3-5} to 1; receives {0-2} from 1\n");
  EXPECT_EQ(shown("mesh3d", 12, 11),
            "mesh3d, 12 ranks, rank 11\n"
            "step 0: sends {11} to 9, {11} to 10; receives {10} from 10, {9} from 9\n"
            "step 1: sends {9-11} to 8; receives {6-8} from 8\n"
            "step 2: sends {6-11} to 5; receives {0-5} from 5\n");
  EXPECT_EQ(shown("gather_bcast", 6, 0),
            "gather_bcast, 6 ranks, rank 0\n"
            "step 0: sends nothing; receives {1} from 1\n"
            "step 1: sends nothing; receives {2-3} from 2\n"
            "step 2: sends nothing; receives {4-5} from 4\n"
            "step 3: sends {0-5} to 4; receives nothing\n"
            "step 4: sends {0-5} to 2; receives nothing\n"
            "step 5: sends {0-5} to 1; receives nothing\n");
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

// Pappalardo et al., recursive halving, with every block at its place.
TEST(Patterns, RecursiveHalving) {
  EXPECT_EQ(shown("recursive_halving", 8, 3),
            "recursive_halving, 8 ranks, rank 3\n"
            "step 0: sends {3} to 7; receives {7} from 7\n"
            "step 1: sends {3 7} to 1; receives {1 5} from 1\n"
            "step 2: sends {1 3 5 7} to 2; receives {0 2 4 6} from 2\n");
}

TEST(Patterns, RadixAndFolding) {
  EXPECT_EQ(shown("bruck:k=3", 8, 0),
            "bruck:k=3, 8 ranks, rank 0\n"
            "step 0: sends {0} to 7, {0} to 6; receives {1} from 1, {2} from 2\n"
            "step 1: sends {0-2} to 5, {0-1} to 2; receives {3-5} from 3, {6-7} from 6\n");
  EXPECT_EQ(shown("recursive_exchange", 5, 0),
            "recursive_exchange, 5 ranks, rank 0\n"
            "step 0: sends nothing; receives {1} from 1\n"
            "step 1: sends {0-1} to 2; receives {2} from 2\n"
            "step 2: sends {0-2} to 3; receives {3-4} from 3\n"
            "step 3: sends {0-4} to 1; receives nothing\n");
  EXPECT_EQ(shown("recursive_exchange:k=3", 3, 1),
            "recursive_exchange:k=3, 3 ranks, rank 1\n"
            "step 0: sends {1} to 2, {1} to 0; receives {0} from 0, {2} from 2\n");
}

// A power of two with radix 2 is recursive doubling.
TEST(Patterns, RecursiveExchangeIsRecursiveDoubling) {
  const auto steps = [](const std::string& text) { return text.substr(text.find('\n')); };
  for (int rank = 0; rank < 16; ++rank) {
    EXPECT_EQ(steps(shown("recursive_exchange", 16, rank)),
              steps(shown("recursive_doubling", 16, rank)));
  }
}

TEST(Patterns, OneRankHasNothingToDo) {
  for (const Algorithm& algorithm : all_algorithms()) {
    const Problem problem = problem_for(choice_of(algorithm), 1);
    if (algorithm.schedule == nullptr || !reason_unusable(algorithm, problem).empty()) continue;
    EXPECT_EQ(algorithm.schedule(problem).steps(), 0U) << algorithm.name;
    EXPECT_FALSE(algorithm.schedule(problem).broadcast_at_end) << algorithm.name;
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
  EXPECT_EQ(inspect::show_json({"ring", 2, std::nullopt, schedules, {}}),
            "{\"algorithm\": \"ring\", \"ranks\": 2, \"schedules\": [\n"
            "[{\"sends\": [{\"peer\": 1, \"blocks\": [[0, 1]]}], \"receives\": [{\"peer\": 1, "
            "\"blocks\": [[1, 1]]}]}],\n"
            "[{\"sends\": [{\"peer\": 0, \"blocks\": [[1, 1]]}], \"receives\": [{\"peer\": 0, "
            "\"blocks\": [[0, 1]]}]}]]}\n");
}

}  // namespace
}  // namespace gatherbench::algorithms
