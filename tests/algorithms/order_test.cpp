// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "algorithms/topology/switch_tree.h"
#include "tests/schedule_of.h"
#include "tools/allgather_schedule/common/show_schedule.h"

namespace gatherbench::algorithms {
namespace {

using testing::ElementsAre;

std::vector<int> order(std::string_view name, const Problem& problem) {
  return find_order(name)->ranks(problem);
}

TEST(Order, OfNodes) {
  const std::vector<int> node{2, 0, 2, 1, 0, 2};
  const Problem problem{.ranks = 6, .node = node};
  EXPECT_THAT(order("node", problem), ElementsAre(0, 2, 5, 1, 4, 3));
  EXPECT_THAT(order("cyclic", problem), ElementsAre(0, 1, 3, 2, 4, 5));
  const Problem on_one_node{.ranks = 3};
  EXPECT_THAT(order("node", on_one_node), ElementsAre(0, 1, 2));
  EXPECT_THAT(order("cyclic", on_one_node), ElementsAre(0, 1, 2));
}

TEST(Order, OfSwitches) {
  const topology::SwitchTree tree = topology::SwitchTree::parse(
      "test", "SwitchName=a Nodes=h[0-1] Switches=b\nSwitchName=b Nodes=h[2-3]\n");
  const std::vector<int> host{2, 0, 3, 1, 2};
  const Problem problem{.ranks = 5, .network = &tree, .host = host};
  EXPECT_THAT(order("switch", problem), ElementsAre(1, 3, 0, 4, 2));
}

// Jocksch et al. 2020: of 1 2 8 9 the pairs 1 9 and 2 8.
TEST(Order, OfBlockSizes) {
  const std::vector<std::int64_t> bytes{9, 2, 8, 1};
  EXPECT_THAT(order("paired", Problem{.ranks = 4, .block_bytes = bytes}), ElementsAre(3, 0, 1, 2));
  // The first of an odd number stays alone: 7, then 1 5, so that 2 4 comes to 7.
  const std::vector<std::int64_t> odd{7, 5, 1, 4, 2};
  EXPECT_THAT(order("paired", Problem{.ranks = 5, .block_bytes = odd}), ElementsAre(2, 1, 4, 3, 0));
  EXPECT_THAT(order("paired", Problem{.ranks = 3}), ElementsAre(0, 1, 2));
}

/// The sum over the steps of the most bytes that a rank sends, over those that a rank lacks.
double over_the_bound(const std::string& text, const std::vector<std::int64_t>& bytes) {
  const Choice chosen = choice(text);
  Problem problem = problem_for(chosen, static_cast<int>(bytes.size()));
  problem.block_bytes = bytes;
  std::vector<std::int64_t> most;
  for (const Schedule& schedule : make_schedules(*chosen.algorithm, problem)) {
    most.resize(std::max(most.size(), schedule.steps()));
    for (std::size_t s = 0; s < schedule.steps(); ++s) {
      std::int64_t sent = 0;
      for (const BlockRange range : schedule.step(s).sends[0].blocks) {
        sent += std::accumulate(bytes.begin() + range.first,
                                bytes.begin() + range.first + range.count, std::int64_t{0});
      }
      most[s] = std::max(most[s], sent);
    }
  }
  const auto sum = [](const std::vector<std::int64_t>& numbers) {
    return static_cast<double>(std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0}));
  };
  return sum(most) / (sum(bytes) - static_cast<double>(std::ranges::min(bytes)));
}

// Block i has i bytes.
TEST(Order, PairedBlocksMakeStepsEven) {
  std::vector<std::int64_t> linear(64);
  std::iota(linear.begin(), linear.end(), 0);
  EXPECT_NEAR(over_the_bound("recursive_doubling", linear), 1.65, 0.02);
  EXPECT_NEAR(over_the_bound("recursive_doubling@paired", linear), 1.00, 0.02);
  EXPECT_NEAR(over_the_bound("bruck_in_place", linear), 1.65, 0.02);
  EXPECT_LT(over_the_bound("bruck_in_place@paired", linear), 1.07);
}

std::string shown(const std::string& text, Problem problem) {
  const Choice chosen = choice(text);
  problem.parameters = chosen.parameters;
  problem.reorder = chosen.order;
  return allgather_schedule::show_text({text,
                                        collectives::allgather,
                                        problem.ranks,
                                        problem.rank,
                                        {make_schedule(*chosen.algorithm, problem)},
                                        {}});
}

// Position 0 is rank 0, 1 is rank 2, 2 is rank 1, 3 is rank 3.
TEST(Order, APositionIsARankAndItsBlock) {
  const std::vector<int> node{0, 1, 0, 1};
  EXPECT_EQ(shown("ring@node", {.rank = 2, .ranks = 4, .node = node}),
            "ring@node, 4 ranks, rank 2\n"
            "step 0: sends {2} to 1; receives {0} from 0\n"
            "step 1: sends {0} to 1; receives {3} from 0\n"
            "step 2: sends {3} to 1; receives {1} from 0\n");
  EXPECT_EQ(shown("recursive_doubling@node", {.rank = 2, .ranks = 4, .node = node}),
            "recursive_doubling@node, 4 ranks, rank 2\n"
            "step 0: sends {2} to 0; receives {0} from 0\n"
            "step 1: sends {0 2} to 3; receives {1 3} from 3\n");
}

// The order is 0 2 1; segments are numbered by ranks.
TEST(Order, OfSegmentsAndOfTheRoot) {
  const std::vector<std::int64_t> bytes{1, 9, 2};
  EXPECT_THAT(order("paired", Problem{.ranks = 3, .block_bytes = bytes}), ElementsAre(0, 2, 1));
  EXPECT_EQ(shown("pipelined_ring@paired:segment=4", {.rank = 1, .ranks = 3, .block_bytes = bytes}),
            "pipelined_ring@paired:segment=4, 3 ranks, rank 1\n"
            "step 0: sends {1} to 0; receives {4} from 2\n"
            "step 1: sends {2} to 0; receives {0} from 2\n"
            "step 2: sends {3} to 0; receives nothing\n"
            "step 3: sends {4} to 0; receives nothing\n");
  const std::vector<std::int64_t> large_first{12, 1, 2};  // the order is 1 2 0
  EXPECT_EQ(
      shown("linear_gather_bcast@paired", {.rank = 2, .ranks = 3, .block_bytes = large_first}),
      "linear_gather_bcast@paired, 3 ranks, rank 2\n"
      "step 0: sends {2} to 1; receives nothing\n"
      "then MPI_Bcast of all blocks from rank 1\n");
}

TEST(Order, ClassicBruckWorksAtFinalPlaces) {
  const Choice chosen = choice("bruck@cyclic");
  EXPECT_FALSE(uses_scratch(chosen));
  EXPECT_TRUE(uses_scratch(choice("bruck")));
  Problem problem = problem_for(chosen, 6);
  problem.rank = 3;
  EXPECT_EQ(make_schedule(*chosen.algorithm, problem).scratch_first_block, 0);
}

}  // namespace
}  // namespace gatherbench::algorithms
