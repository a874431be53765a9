// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/host/rank_zero.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

using testing::ElementsAre;

class UnlikeRanks : public testing::Test {
 protected:
  int rank_ = mpi::rank_of(MPI_COMM_WORLD);
  int ranks_ = mpi::size_of(MPI_COMM_WORLD);
};

TEST_F(UnlikeRanks, TheLowestOneIsFoundOfEachText) {
  for (int first = 1; first < ranks_; ++first) {
    for (int second = first; second < ranks_; ++second) {
      const std::string of_two = rank_ == first || rank_ == second ? "another" : "all";
      const std::string of_each = rank_ >= first ? std::to_string(rank_) : "below";
      const std::vector<std::string> texts{of_two, "", of_each};
      EXPECT_THAT(find_unlike(texts, MPI_COMM_WORLD), ElementsAre(first, nobody, first));
    }
  }
}

TEST_F(UnlikeRanks, WhereRankZeroIsTheOneTheNextIsUnlikeIt) {
  const std::vector<std::string> texts{rank_ == 0 ? "its own" : "of the others"};
  EXPECT_THAT(find_unlike(texts, MPI_COMM_WORLD), ElementsAre(ranks_ == 1 ? nobody : 1));
}

TEST_F(UnlikeRanks, AllGetTheTextOfAnyOfThem) {
  for (int rank = 0; rank < ranks_; ++rank) {
    const std::string of_rank(static_cast<std::size_t>(rank) * 1000, 'x');
    EXPECT_EQ(text_of_rank(rank, std::string(static_cast<std::size_t>(rank_) * 1000, 'x'),
                           MPI_COMM_WORLD),
              of_rank);
  }
}

TEST_F(UnlikeRanks, RankZeroGetsAllTexts) {
  const std::vector<std::string> texts = texts_on_rank_zero(std::to_string(rank_), MPI_COMM_WORLD);
  std::vector<std::string> expected;
  for (int rank = 0; rank < ranks_ && rank_ == 0; ++rank) {
    expected.push_back(std::to_string(rank));
  }
  EXPECT_EQ(texts, expected);
}

}  // namespace
}  // namespace gatherbench::bench
