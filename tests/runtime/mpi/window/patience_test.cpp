// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "runtime/mpi/window/wait.h"

namespace gatherbench::mpi {
namespace {

using Turn = Patience::Turn;

TEST(Patience, LooksFirst) {
  Patience patience;
  for (std::size_t look = 1; look < Patience::looks; ++look) {
    EXPECT_EQ(patience.next(false, 1), Turn::none);
  }
  EXPECT_EQ(patience.next(false, 1), Turn::library);
}

TEST(Patience, MoreTransfersTakeLongerToLookAt) {
  Patience patience;
  EXPECT_EQ(patience.next(false, Patience::looks - 1), Turn::none);
  EXPECT_EQ(patience.next(false, Patience::looks - 1), Turn::library);
}

// Open MPI's progress yields when ranks share a processor, so a yield of our own after it without a
// look in between changed ranks twice.
TEST(Patience, LooksBetweenAnyTwoTurns) {
  Patience patience;
  for (int pair = 0; pair < 3; ++pair) {
    EXPECT_EQ(patience.next(false, Patience::looks), Turn::library);
    EXPECT_EQ(patience.next(false, Patience::looks), Turn::others);
  }
}

TEST(Patience, BeginsAnewWhenBytesHaveMoved) {
  Patience patience;
  EXPECT_EQ(patience.next(false, Patience::looks), Turn::library);
  EXPECT_EQ(patience.next(true, Patience::looks), Turn::none);
  EXPECT_EQ(patience.next(false, Patience::looks - 1), Turn::none);
}

}  // namespace
}  // namespace gatherbench::mpi
