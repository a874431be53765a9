// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/collectives/collective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gatherbench::collectives {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::vector<int> numbers(const Blocks& blocks) {
  std::vector<int> all;
  for (const BlockRange& range : blocks) {
    for (int block = range.first; block < range.first + range.count; ++block) all.push_back(block);
  }
  return all;
}

TEST(Collectives, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Collective& one : all_collectives()) {
    names.insert(one.name);
    EXPECT_EQ(one.executable, std::string(one.name) + "_bench");
  }
  EXPECT_EQ(names.size(), collective_table().size());
}

TEST(Collectives, BeginWithEveryBlockOnceAndEndWithBlocksThatThereAre) {
  for (const Collective& one : all_collectives()) {
    for (int ranks = 1; ranks <= 9; ++ranks) {
      std::multiset<int> begun;
      for (int rank = 0; rank < ranks; ++rank) {
        for (const int block : numbers(one.initial(rank, ranks))) begun.insert(block);
        const std::vector<int> goal = numbers(one.goal(rank, ranks));
        EXPECT_TRUE(std::ranges::is_sorted(goal)) << one.name;
        for (const int block : goal) EXPECT_LT(block, one.blocks(ranks)) << one.name;
      }
      // All contribute to a block that is combined.
      const int owners = one.combines ? ranks : 1;
      EXPECT_EQ(begun.size(), static_cast<std::size_t>(one.blocks(ranks) * owners)) << one.name;
      EXPECT_EQ(std::set(begun.begin(), begun.end()).size(),
                static_cast<std::size_t>(one.blocks(ranks)))
          << one.name;
    }
  }
}

TEST(Collectives, AllgatherBringsAllToAll) {
  EXPECT_THAT(numbers(allgather.initial(2, 4)), UnorderedElementsAre(2));
  EXPECT_THAT(numbers(allgather.goal(2, 4)), UnorderedElementsAre(0, 1, 2, 3));
  EXPECT_DOUBLE_EQ(allgather.bandwidth_factor.at(4), 0.75);
  EXPECT_FALSE(allgather.unequal_blocks);
  EXPECT_TRUE(allgatherv.unequal_blocks);
}

TEST(Collectives, BcastBringsTheRootsBlockToAll) {
  for (const int root : {0, 2, 4}) {
    for (int rank = 0; rank < 5; ++rank) {
      const Part part = part_of(bcast, rank, 5, root);
      EXPECT_EQ(part.initial.size(), rank == root ? 1U : 0U) << rank << " " << root;
      EXPECT_THAT(numbers(part.goal), UnorderedElementsAre(0));
    }
  }
  EXPECT_TRUE(bcast.has_root && bcast.one_buffer);
  EXPECT_FALSE(allgather.has_root || allgather.one_buffer);
}

TEST(Collectives, ReduceBringsWhatAllContributeToTheRoot) {
  for (const int root : {0, 2, 4}) {
    for (int rank = 0; rank < 5; ++rank) {
      const Part part = part_of(reduce, rank, 5, root);
      EXPECT_THAT(numbers(part.initial), UnorderedElementsAre(0));
      EXPECT_EQ(part.goal.size(), rank == root ? 1U : 0U) << rank << " " << root;
      EXPECT_TRUE(part.combines);
      EXPECT_EQ(part.in_place_if(true), rank == root);
      EXPECT_FALSE(part.in_place_if(false));
    }
  }
}

TEST(Collectives, AllreduceBringsWhatAllContributeToAll) {
  for (int rank = 0; rank < 5; ++rank) {
    const Part part = part_of(allreduce, rank, 5);
    EXPECT_THAT(numbers(part.initial), UnorderedElementsAre(0));
    EXPECT_THAT(numbers(part.goal), UnorderedElementsAre(0));
    EXPECT_TRUE(part.combines && part.in_place_if(true));
  }
  EXPECT_TRUE(allreduce.keeps_contributions && !allreduce.has_root);
  EXPECT_FALSE(reduce.keeps_contributions);
  EXPECT_DOUBLE_EQ(allreduce.bandwidth_factor.at(4), 1.5);  // as nccl-tests has it
}

TEST(Collectives, AlltoallBringsEachItsOwn) {
  EXPECT_EQ(alltoall.blocks(4), 16);
  EXPECT_THAT(numbers(alltoall.initial(2, 4)), ElementsAre(8, 9, 10, 11));
  EXPECT_THAT(numbers(alltoall.goal(2, 4)), ElementsAre(2, 6, 10, 14));
  EXPECT_DOUBLE_EQ(alltoall.bandwidth_factor.at(4), 0.75);
}

TEST(Collectives, AlltoallHasAsManyRanksAsAnIntCountsPairs) {
  const std::int64_t most = alltoall.most_ranks;
  EXPECT_LE(most * most, std::numeric_limits<int>::max());
  EXPECT_GT((most + 1) * (most + 1), std::numeric_limits<int>::max());
  EXPECT_EQ(alltoall.blocks(alltoall.most_ranks), most * most);
}

TEST(Collectives, InPlaceTheReceiveBufferHoldsWhatTheRankHas) {
  for (const Collective& one : all_collectives()) {
    for (const int rank : {0, 2}) {
      const Part part = part_of(one, rank, 4);
      const std::vector<int> there = numbers(part.in_place);
      EXPECT_EQ(there.size(), numbers(part.goal).size()) << one.name;
      if (!part.in_place_if(true)) continue;
      for (const int block : numbers(part.initial)) EXPECT_THAT(there, Contains(block));
    }
  }
}

}  // namespace
}  // namespace gatherbench::collectives
