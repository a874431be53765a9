// SPDX-License-Identifier: BSD-3-Clause
//
// The message patterns as the papers draw them: a name is a promise about who sends what to whom.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "algorithms/check.h"
#include "algorithms/registry.h"
#include "bench/show_schedule.h"

namespace gatherbench {
namespace {

std::string shown(std::string_view name, int ranks, int rank) {
  const std::array schedule{find_algorithm(name)->schedule({rank, ranks})};
  return show_text({name, ranks, rank, schedule});
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
  EXPECT_EQ(find_algorithm("bruck")->schedule({3, 5}).scratch_first_block, 3);
  EXPECT_EQ(find_algorithm("bruck_in_place")->schedule({3, 5}).scratch_first_block, 0);
}

TEST(Patterns, OneRankHasNothingToDo) {
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.schedule == nullptr || !why_not(algorithm, 1).empty()) continue;
    EXPECT_EQ(algorithm.schedule({0, 1}).steps(), 0U) << algorithm.name;
  }
}

// A schedule of a million ranks: 64 MB. (That it takes under 0.2 s no test may say.)
TEST(Patterns, MillionRanks) {
  constexpr int p = 1 << 20;
  const Schedule schedule = find_algorithm("ring")->schedule({p - 1, p});
  ASSERT_EQ(schedule.steps(), static_cast<std::size_t>(p) - 1);
  EXPECT_EQ(schedule.step(p - 2).receives[0].blocks[0], (BlockRange{0, 1}));
  EXPECT_LE(schedule.bytes(), std::size_t{64} << 20);
  EXPECT_LE(find_algorithm("sparbit")->schedule({5, p}).bytes(), std::size_t{64} << 20);
}

TEST(Patterns, JsonHasTheDocumentedForm) {
  const auto schedules = make_schedules(*find_algorithm("ring"), 2);
  EXPECT_EQ(show_json({"ring", 2, std::nullopt, schedules}),
            "{\"algorithm\": \"ring\", \"ranks\": 2, \"schedules\": [\n"
            "[{\"sends\": [{\"peer\": 1, \"blocks\": [[0, 1]]}], \"receives\": [{\"peer\": 1, "
            "\"blocks\": [[1, 1]]}]}],\n"
            "[{\"sends\": [{\"peer\": 0, \"blocks\": [[1, 1]]}], \"receives\": [{\"peer\": 0, "
            "\"blocks\": [[0, 1]]}]}]]}\n");
}

}  // namespace
}  // namespace gatherbench
