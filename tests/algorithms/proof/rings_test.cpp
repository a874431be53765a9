// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "algorithms/proof/rounds.h"
#include "tests/schedule_of.h"

namespace gatherbench::proof {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Rings> rings_of(std::string_view text, int ranks) {
  const algorithms::Choice chosen = choice(text);
  const auto schedules =
      algorithms::make_schedules(*chosen.algorithm, algorithms::problem_for(chosen, ranks));
  return find_rings(schedules, find_rounds(schedules, {}));
}

// Loch 2021, figure 16.
TEST(Rings, AreThoseOfThePaper) {
  const std::vector<Rings> bruck = rings_of("bruck", 8);
  ASSERT_THAT(bruck, SizeIs(3));
  EXPECT_THAT(bruck[0].ranks, ElementsAre(ElementsAre(0, 7, 6, 5, 4, 3, 2, 1)));
  EXPECT_THAT(bruck[1].ranks, ElementsAre(ElementsAre(0, 6, 4, 2), ElementsAre(1, 7, 5, 3)));
  EXPECT_THAT(bruck[2].ranks, ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5), ElementsAre(2, 6),
                                          ElementsAre(3, 7)));
  const std::vector<Rings> sparbit = rings_of("sparbit", 8);
  ASSERT_THAT(sparbit, SizeIs(3));
  EXPECT_EQ(sparbit[0].ranks, bruck[2].ranks);
  EXPECT_THAT(sparbit[1].ranks, ElementsAre(ElementsAre(0, 2, 4, 6), ElementsAre(1, 3, 5, 7)));
  EXPECT_THAT(sparbit[2].ranks, ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)));
}

// Loch 2021, 5.2: a distance d makes gcd(d, p) rings.
TEST(Rings, AreTheGreatestCommonDivisorOfDistanceAndRanks) {
  for (int p = 2; p <= 100; ++p) {
    const std::vector<Rings> rounds = rings_of("sparbit", p);
    int distance = 1 << (rounds.size() - 1);
    for (const Rings& round : rounds) {
      const int rings = std::gcd(distance, p);
      EXPECT_THAT(round.ranks, SizeIs(rings)) << p;
      EXPECT_THAT(round.ranks, Each(SizeIs(p / rings))) << p;
      distance /= 2;
    }
  }
}

TEST(Rings, AreWhereEachRankHasOneReceiverAndOneSender) {
  EXPECT_THAT(rings_of("linear", 4)[0].fault, HasSubstr("rank 0 sends to 3 ranks"));
  std::vector<algorithms::Schedule> schedules(3);
  for (int rank = 0; rank < 3; ++rank) {
    algorithms::Schedule& own = schedules[static_cast<std::size_t>(rank)];
    own.begin_step();
    own.send(rank == 0 ? 1 : 0, {rank, 1});
  }
  schedules[0].receive(1, {1, 1});
  schedules[0].receive(2, {2, 1});
  schedules[1].receive(0, {0, 1});
  Rounds rounds;
  rounds.count = 1;
  rounds.ranks.assign(3, {StepRounds{0, {0}, {}}});
  const std::vector<Rings> found = find_rings(schedules, rounds);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].fault, "rank 0 receives from 2 ranks");
  EXPECT_THAT(found[0].ranks, IsEmpty());
}

}  // namespace
}  // namespace gatherbench::proof
