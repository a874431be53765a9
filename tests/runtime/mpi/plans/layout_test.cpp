// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace gatherbench::mpi {
namespace {

/// Pieces follow each other in each block, are whole units, and are as long as they are said to be.
void expect_cut(const Layout& layout, std::int64_t pieces, std::int64_t unit) {
  for (int block = 0; block < layout.blocks(); ++block) {
    std::int64_t next = 0;
    for (std::int64_t number = 0; number < pieces; ++number) {
      const Cut piece{number, pieces, unit};
      EXPECT_EQ(layout.begin_of(piece, block), next);
      EXPECT_EQ(next % unit, 0);
      next += layout.piece(piece).bytes(block);
      EXPECT_EQ(layout.begin_of({number + 1, pieces, unit}, block), next);
    }
    EXPECT_EQ(next, layout.bytes(block));
  }
}

TEST(Layout, IsCutIntoPieces) {
  expect_cut(Layout(4, 40), 3, 4);
  expect_cut(Layout(2, 8), 5, 4);  // more pieces than units
  expect_cut(Layout(std::vector<std::int64_t>{0, 12, 400, 4}), 7, 4);
  expect_cut(Layout(1, (std::int64_t{1} << 60) + 3), 1024, 1);
}

TEST(Layout, PiecesLieOneBehindTheOther) {
  const Layout apart(std::vector<std::int64_t>{8, 16}, {100, 0});
  const Layout half = apart.piece({1, 2, 8});
  EXPECT_TRUE(half.is_dense());
  EXPECT_EQ(half.bytes(0), 8);
  EXPECT_EQ(half.bytes(1), 8);
  EXPECT_EQ(apart.piece({0, 1, 8}).displacement(0), 100) << "the only piece is the block";
}

}  // namespace
}  // namespace gatherbench::mpi
