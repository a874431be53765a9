// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/arrival_aware/local_redirect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace gatherbench::mpi {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Redirect> paired(std::vector<int> ready) {
  std::vector<Redirect> redirects{{7, 7}};  // of the time before
  pair_up(ready, 9, redirects);
  return redirects;
}

TEST(LocalRedirect, AChildThatIsReadyAloneGivesItsVectorToTheParent) {
  EXPECT_THAT(paired({}), IsEmpty());
  EXPECT_THAT(paired({3}), ElementsAre(Redirect{3, 9}));
}

TEST(LocalRedirect, ChildrenThatAreReadyAtOnceArePaired) {
  EXPECT_THAT(paired({1, 2}), ElementsAre(Redirect{1, 2}));
  EXPECT_THAT(paired({8, 1, 4, 2}), ElementsAre(Redirect{8, 1}, Redirect{4, 2}));
}

TEST(LocalRedirect, TheOddOneIsTheParents) {
  EXPECT_THAT(paired({4, 1, 2}), ElementsAre(Redirect{4, 1}, Redirect{2, 9}));
}

}  // namespace
}  // namespace gatherbench::mpi
