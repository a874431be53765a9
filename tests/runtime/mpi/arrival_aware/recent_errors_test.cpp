// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "runtime/mpi/arrival_aware/arrival_aware.h"

namespace gatherbench::mpi {
namespace {

TEST(RecentErrors, AreTheMedianOfTheLastOnes) {
  RecentErrors errors;
  EXPECT_EQ(errors.typical_ns(), 0);
  errors.add(-30);
  EXPECT_EQ(errors.typical_ns(), 30);
  for (const int error : {10, -20, 1'000'000}) {
    errors.add(error);
  }
  EXPECT_EQ(errors.typical_ns(), 30);  // of 10, 20, 30, 1000000: the upper of the middle two
  for (std::size_t i = 0; i < RecentErrors::most; ++i) {
    errors.add(5);
  }
  EXPECT_EQ(errors.typical_ns(), 5);
}

}  // namespace
}  // namespace gatherbench::mpi
