// SPDX-License-Identifier: BSD-3-Clause
//
// The message patterns as the papers draw them: a name is a promise about who sends what to whom.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/schedule_of.h"
#include "tools/allgather_schedule/common/show_schedule.h"

namespace gatherbench::algorithms {
namespace {

std::string shown(std::string_view name, int ranks, int rank) {
  return allgather_schedule::show_text({std::string(name),
                                        collectives::allgather,
                                        ranks,
                                        rank,
                                        {schedule_of(name, rank, ranks)},
                                        {}});
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

TEST(Patterns, BruckOfSeveralRadices) {
  EXPECT_EQ(shown("bruck:k=3x2", 6, 0),
            "bruck:k=3x2, 6 ranks, rank 0\n"
            "step 0: sends {0} to 5, {0} to 4; receives {1} from 1, {2} from 2\n"
            "step 1: sends {0-2} to 3; receives {3-5} from 3\n");
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
            "step 0: sends {11} to 10; receives {10} from 10\n"
            "step 1: sends {10-11} to 9; receives {8-9} from 9\n"
            "step 2: sends {8-11} to 3, {8-11} to 7; receives {4-7} from 7, {0-3} from 3\n");
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

/// Shows the pattern on nodes with so many ranks each.
std::string shown_on_nodes(std::string_view name, int ranks, int on_node, int rank) {
  std::vector<int> node;
  for (int r = 0; r < ranks; ++r) node.push_back(r / on_node);
  const Choice chosen = choice(name);
  Problem problem = problem_for(chosen, ranks);
  problem.rank = rank;
  problem.node = node;
  return allgather_schedule::show_text({chosen.label(),
                                        collectives::allgather,
                                        ranks,
                                        rank,
                                        {make_schedule(*chosen.algorithm, problem)},
                                        {}});
}

// MPI Advance; Bienz, Gautam, Kharel 2022.
TEST(Patterns, LocalityAware) {
  EXPECT_EQ(shown_on_nodes("locality_p2p", 8, 2, 1),
            "locality_p2p, 8 ranks, rank 1\n"
            "step 0: sends {1} to 0; receives {0} from 0\n"
            "step 1: sends {0-1} to 5; receives {4-5} from 5\n"
            "step 2: sends {4-5} to 0; receives {2-3 6-7} from 0\n");
  EXPECT_EQ(shown_on_nodes("locality_bruck", 12, 3, 2),
            "locality_bruck, 12 ranks, rank 2\n"
            "step 0: sends {2} to 0, {2} to 1; receives {1} from 1, {0} from 0\n"
            "step 1: sends {0-2} to 8; receives {6-8} from 8\n"
            "step 2: sends {6-8} to 0, {6-8} to 1; receives {3-5} from 1\n"
            "step 3: sends nothing; receives {9-11} from 1\n");
  // Nodes of one rank: Bruck's algorithm.
  for (int rank = 0; rank < 7; ++rank) {
    const std::string bruck = shown("bruck_in_place", 7, rank);
    const std::string same = shown_on_nodes("locality_bruck", 7, 1, rank);
    EXPECT_EQ(std::ranges::count(same, '\n'), std::ranges::count(bruck, '\n'));
  }
}

// Groups of neighbours on each node, of 1 and 2 ranks.
TEST(Patterns, MultiLeader) {
  EXPECT_EQ(shown_on_nodes("multi_leader:inner=ring", 6, 3, 0),
            "multi_leader:inner=ring, 6 ranks, rank 0\n"
            "step 0: sends {0} to 1; receives {4-5} from 4\n"
            "step 1: sends {4-5} to 1; receives {3} from 4\n"
            "step 2: sends {3} to 1; receives {1-2} from 4\n");
  EXPECT_EQ(shown_on_nodes("multi_leader:inner=ring", 4, 4, 2),
            "multi_leader:inner=ring, 4 ranks, rank 2\n"
            "step 0: sends nothing; receives {3} from 3\n"
            "step 1: sends {2-3} to 0; receives {0-1} from 0\n"
            "step 2: sends {0-3} to 3; receives nothing\n");
  for (int rank = 0; rank < 7; ++rank) {
    const auto steps = [](const std::string& text) { return text.substr(text.find('\n')); };
    EXPECT_EQ(steps(shown_on_nodes("multi_leader:leaders=1", 7, 3, rank)),
              steps(shown_on_nodes("leader", 7, 3, rank)));
  }
}

TEST(Patterns, Tori) {
  EXPECT_EQ(shown("bucket:dims=2x3", 6, 0),
            "bucket:dims=2x3, 6 ranks, rank 0\n"
            "step 0: sends {0} to 3; receives {3} from 3\n"
            "step 1: sends {0 3} to 1; receives {2 5} from 2\n"
            "step 2: sends {2 5} to 1; receives {1 4} from 2\n");
  EXPECT_EQ(shown("swing:dims=4x2", 8, 0),
            "swing:dims=4x2, 8 ranks, rank 0\n"
            "step 0: sends {0} to 6; receives {6} from 6\n"
            "step 1: sends {0 6} to 1; receives {1 7} from 1\n"
            "step 2: sends {0-1 6-7} to 2; receives {2-5} from 2\n");
  // Two ports, one a direction: segment i of block b is number 2 b + i.
  EXPECT_EQ(shown("bucket:dims=3:ports=2", 3, 0),
            "bucket:dims=3:ports=2, 3 ranks, rank 0\n"
            "step 0: sends {0} to 1, {1} to 2; receives {4} from 2, {3} from 1\n"
            "step 1: sends {4} to 1, {3} to 2; receives {2} from 2, {5} from 1\n");
  // Both directions of a side of 2 have the same peer.
  EXPECT_EQ(shown("swing:dims=2x2:ports=4", 4, 0),
            "swing:dims=2x2:ports=4, 4 ranks, rank 0\n"
            "step 0: sends {0 2} to 1, {1 3} to 2; receives {4 6} from 1, {9 11} from 2\n"
            "step 1: sends {0 2 4 6} to 2, {1 3 9 11} to 1; receives {8 10 12 14} from 2, "
            "{5 7 13 15} from 1\n");
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
  EXPECT_EQ(allgather_schedule::show_json(
                {"ring", collectives::allgather, 2, std::nullopt, schedules, {}}),
            "{\n\"algorithm\": \"ring\",\n\"collective\": \"allgather\",\n\"ranks\": "
            "2,\n\"schedules\": [\n"
            R"([{"sends":[{"peer":1,"blocks":[[0,1]]}],"receives":[{"peer":1,"blocks":[[1,1]]}]}],)"
            "\n"
            R"([{"sends":[{"peer":0,"blocks":[[1,1]]}],"receives":[{"peer":0,"blocks":[[0,1]]}]}])"
            "\n]\n}\n");
}

// Traeff 2022 and 2024: segment 2b + i is the i-th of block b. What rank 0 receives are the rows of
// the paper's table for the distances from each other rank.
TEST(Patterns, Circulant) {
  EXPECT_EQ(shown("circulant:segments=2", 5, 0),
            "circulant:segments=2, 5 ranks, rank 0\n"
            "step 0: sends {0} to 3; receives {4} from 2\n"
            "step 1: sends {1 4} to 1; receives {2 9} from 4\n"
            "step 2: sends {1 2} to 2; receives {7 8} from 3\n"
            "step 3: sends {1 2 9} to 3; receives {3 5 6} from 2\n");
}

// De Sensi et al. 2025. At p = 6 and 10 the partner has some of the blocks.
TEST(Patterns, Bine) {
  EXPECT_EQ(shown("bine", 8, 0),
            "bine, 8 ranks, rank 0\n"
            "step 0: sends {0} to 3; receives {3} from 3\n"
            "step 1: sends {0 3} to 7; receives {7 4} from 7\n"
            "step 2: sends {0 3 7 4} to 1; receives {1 6 2 5} from 1\n");
  EXPECT_EQ(shown("bine", 8, 1),
            "bine, 8 ranks, rank 1\n"
            "step 0: sends {1} to 6; receives {6} from 6\n"
            "step 1: sends {1 6} to 2; receives {2 5} from 2\n"
            "step 2: sends {1 6 2 5} to 0; receives {0 3 7 4} from 0\n");
  EXPECT_EQ(shown("bine", 6, 0),
            "bine, 6 ranks, rank 0\n"
            "step 0: sends {0} to 3; receives {3} from 3\n"
            "step 1: sends {0 3} to 5; receives {5 2} from 5\n"
            "step 2: sends {0 3} to 1; receives {1 4} from 1\n");
  EXPECT_EQ(shown("bine", 10, 0),
            "bine, 10 ranks, rank 0\n"
            "step 0: sends {0} to 5; receives {5} from 5\n"
            "step 1: sends {0 5} to 3; receives {3 8} from 3\n"
            "step 2: sends {0 5 3 8} to 9; receives {9 4 6 1} from 9\n"
            "step 3: sends {9 4} to 1; receives {2 7} from 1\n");
  EXPECT_EQ(shown("bine", 5, 3),
            "bine, 5 ranks, rank 3\n"
            "step 0: sends nothing; receives {4} from 4\n"
            "step 1: sends {3-4} to 0; receives {0} from 0\n"
            "step 2: sends {3-4 0} to 2; receives {2 1} from 2\n"
            "step 3: sends {0-3} to 4; receives nothing\n");
}

// libbine's 2_blocks and send_remap.
TEST(Patterns, BineOfWholeRanges) {
  EXPECT_EQ(shown("bine_doubling", 8, 0),
            "bine_doubling, 8 ranks, rank 0\n"
            "step 0: sends {0} to 1; receives {1} from 1\n"
            "step 1: sends {0-1} to 7; receives {6-7} from 7\n"
            "step 2: sends {6-7 0-1} to 3; receives {2-5} from 3\n");
  EXPECT_EQ(shown("bine_remap", 8, 1),
            "bine_remap, 8 ranks, rank 1\n"
            "step 0: sends {1} to 3; receives {4} from 4\n"
            "step 1: sends {4} to 6; receives {5} from 6\n"
            "step 2: sends {4-5} to 2; receives {6-7} from 2\n"
            "step 3: sends {4-7} to 0; receives {0-3} from 0\n");
  EXPECT_EQ(shown("recursive_halving_remap", 8, 1),
            "recursive_halving_remap, 8 ranks, rank 1\n"
            "step 0: sends {1} to 4; receives {4} from 4\n"
            "step 1: sends {4} to 5; receives {5} from 5\n"
            "step 2: sends {4-5} to 3; receives {6-7} from 3\n"
            "step 3: sends {4-7} to 0; receives {0-3} from 0\n");
}

// Jeaugey 2025.
TEST(Patterns, Pat) {
  EXPECT_EQ(shown("pat:aggregate=4", 8, 0),
            "pat:aggregate=4, 8 ranks, rank 0\n"
            "step 0: sends {0} to 4; receives {4} from 4\n"
            "step 1: sends {0 4} to 6; receives {2 6} from 2\n"
            "step 2: sends {0 2 4 6} to 7; receives {1 3 5 7} from 1\n");
  EXPECT_EQ(shown("pat:aggregate=2", 8, 0),
            "pat:aggregate=2, 8 ranks, rank 0\n"
            "step 0: sends {0} to 4; receives {4} from 4\n"
            "step 1: sends {0 4} to 6; receives {2 6} from 2\n"
            "step 2: sends {2 6} to 7; receives {3 7} from 1\n"
            "step 3: sends {0 4} to 7; receives {1 5} from 1\n");
  EXPECT_EQ(shown("pat:aggregate=2", 5, 0),
            "pat:aggregate=2, 5 ranks, rank 0\n"
            "step 0: sends {0} to 1; receives {4} from 4\n"
            "step 1: sends {0} to 3; receives {2} from 2\n"
            "step 2: sends {2} to 4; receives {3} from 1\n"
            "step 3: sends {0} to 4; receives {1} from 1\n");
}

// Wilkins et al. 2023.
TEST(Patterns, RecursiveMultiplying) {
  EXPECT_EQ(shown("recursive_multiplying:factors=3x2", 6, 0),
            "recursive_multiplying:factors=3x2, 6 ranks, rank 0\n"
            "step 0: sends {0} to 1, {0} to 2; receives {2} from 2, {1} from 1\n"
            "step 1: sends {0-2} to 3; receives {3-5} from 3\n");
  EXPECT_EQ(shown("recursive_multiplying", 6, 5),
            "recursive_multiplying, 6 ranks, rank 5\n"
            "step 0: sends {5} to 4; receives {4} from 4\n"
            "step 1: sends {4-5} to 1, {4-5} to 3; receives {2-3} from 3, {0-1} from 1\n");
}

// Bruck et al. 1997, centred.
TEST(Patterns, BruckTwoSided) {
  EXPECT_EQ(shown("bruck_two_sided", 9, 0),
            "bruck_two_sided, 9 ranks, rank 0\n"
            "step 0: sends {0} to 8, {0} to 1; receives {1} from 1, {8} from 8\n"
            "step 1: sends {8 0-1} to 6, {8 0-1} to 3; receives {2-4} from 3, {5-7} from 6\n");
  EXPECT_EQ(shown("bruck_two_sided", 7, 0),
            "bruck_two_sided, 7 ranks, rank 0\n"
            "step 0: sends {0} to 6, {0} to 1; receives {1} from 1, {6} from 6\n"
            "step 1: sends {6 0} to 4, {0-1} to 3; receives {2-3} from 3, {4-5} from 4\n");
  EXPECT_EQ(shown("bruck_two_sided", 6, 0),
            "bruck_two_sided, 6 ranks, rank 0\n"
            "step 0: sends {0} to 5, {0} to 1; receives {1} from 1, {5} from 5\n"
            "step 1: sends {5 0 1} to 3; receives {2-3 4} from 3\n");
}

// Sparbit of radix 3, mirrored.
TEST(Patterns, FarFirst) {
  EXPECT_EQ(shown("far_first:k=3", 7, 0),
            "far_first:k=3, 7 ranks, rank 0\n"
            "step 0: sends {0} to 4, {0} to 1; receives {3} from 3, {6} from 6\n"
            "step 1: sends {0 3} to 6, {0 3} to 5; receives {1 4} from 1, {2 5} from 2\n");
}

// The rings go both ways, and in groups (Wilkins et al. 2023).
TEST(Patterns, Rings) {
  EXPECT_EQ(shown("ring_bidirectional", 5, 0),
            "ring_bidirectional, 5 ranks, rank 0\n"
            "step 0: sends {0} to 1, {0} to 4; receives {4} from 4, {1} from 1\n"
            "step 1: sends {4} to 1, {1} to 4; receives {3} from 4, {2} from 1\n");
  EXPECT_EQ(shown("ring_bidirectional", 4, 0),
            "ring_bidirectional, 4 ranks, rank 0\n"
            "step 0: sends {0} to 1, {0} to 3; receives {3} from 3, {1} from 1\n"
            "step 1: sends {3} to 1; receives {2} from 3\n");
  EXPECT_EQ(shown("k_ring:k=3", 6, 0),
            "k_ring:k=3, 6 ranks, rank 0\n"
            "step 0: sends {0} to 1, {0} to 3; receives {2} from 2, {3} from 3\n"
            "step 1: sends {2} to 1; receives {1} from 2\n"
            "step 2: sends {3} to 1; receives {5} from 2\n"
            "step 3: sends {5} to 1; receives {4} from 2\n");
}

}  // namespace
}  // namespace gatherbench::algorithms
