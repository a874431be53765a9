// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/proof/rounds.h"
#include "tests/schedule_of.h"

namespace gatherbench::proof {

static void PrintTo(const RoundLocality& round, std::ostream* out) {
  *out << round.sends_on_node << " of " << round.sends << ", " << round.bytes_on_node << " of "
       << round.bytes << " bytes";
}

namespace {

using testing::ElementsAre;

std::vector<RoundLocality> locality_of(std::string_view text, const std::vector<int>& node,
                                       const std::vector<std::int64_t>& block_bytes) {
  const algorithms::Choice chosen = choice(text);
  algorithms::Problem problem = algorithms::problem_for(chosen, static_cast<int>(node.size()));
  problem.node = node;
  problem.block_bytes = block_bytes;
  const auto schedules = algorithms::make_schedules(*chosen.algorithm, problem);
  const Rounds rounds = find_rounds(schedules, {.block_bytes = block_bytes});
  return find_locality(schedules, rounds, block_bytes, node);
}

// Sparbit at 4 ranks: to rank + 2 a block, then to rank + 1 two.
TEST(Locality, CountsSendsAndBytesOfEachRound) {
  const std::vector<std::int64_t> tens(4, 10);
  EXPECT_THAT(locality_of("sparbit", {0, 0, 1, 1}, tens),
              ElementsAre(RoundLocality{4, 0, 40, 0}, RoundLocality{4, 2, 80, 40}));
  EXPECT_THAT(locality_of("sparbit", {0, 1, 0, 1}, tens),
              ElementsAre(RoundLocality{4, 4, 40, 40}, RoundLocality{4, 0, 80, 0}));
}

TEST(Locality, CountsTheBytesOfUnequalBlocks) {
  EXPECT_THAT(locality_of("ring", {0, 0, 1}, {1, 10, 0}),
              ElementsAre(RoundLocality{3, 1, 11, 1}, RoundLocality{3, 1, 11, 0}));
}

TEST(Locality, CountsTheBytesOfSegments) {
  std::int64_t bytes = 0;
  for (const RoundLocality& round : locality_of("pipelined_ring:segment=2", {0, 0, 0}, {5, 5, 5})) {
    EXPECT_EQ(round.bytes_on_node, round.bytes);
    bytes += round.bytes;
  }
  EXPECT_EQ(bytes, 3 * 2 * 5);
}

}  // namespace
}  // namespace gatherbench::proof
