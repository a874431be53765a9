// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include "mpi/handles.h"
#include "selection/agreement.h"

namespace gatherbench::selection {
namespace {

using testing::ElementsAre;

constexpr std::int64_t start_ns = 1'000'000;

class Agreement : public testing::Test {
 protected:
  mpi::Communicator world_ = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  int rank_ = world_.rank();
  int ranks_ = world_.size();
  std::int64_t last_ = ranks_ - 1;

  /// Rank r comes r x 1000 ns after the start, and all leave 500 ns after the last of them.
  [[nodiscard]] Taken one_after_the_other(bool from_last_arrival) const {
    return {start_ns + 1000 * rank_, start_ns + 1000 * last_ + 500, from_last_arrival};
  }
  [[nodiscard]] Agreed agree(std::vector<Taken> taken, bool one_clock) const {
    return agree_on_times(world_.get(), ranks_,
                          {taken, one_clock, start_ns, 40 + rank_, 7000 + 100 * (last_ - rank_)});
  }
};

TEST_F(Agreement, WaitingForLateRanksIsNoOnesTime) {
  const Agreed agreed = agree({one_after_the_other(true)}, true);
  EXPECT_THAT(agreed.times_ns, ElementsAre(500));
  EXPECT_EQ(agreed.last_arrival_ns, start_ns + 1000 * last_);
  EXPECT_EQ(agreed.id, 40 + last_);
  EXPECT_EQ(agreed.former_ns, 7000);
}

/// The mean of 500, 1500, 2500, ...
TEST_F(Agreement, WithoutACommonClockItIsPartOfIt) {
  EXPECT_THAT(agree({one_after_the_other(true)}, false).times_ns, ElementsAre(500 + 500 * last_));
}

TEST_F(Agreement, OfACallThatSomeMayLeaveBeforeOthersComeItIsPartToo) {
  EXPECT_THAT(agree({one_after_the_other(false)}, true).times_ns, ElementsAre(500 + 500 * last_));
}

TEST_F(Agreement, EveryTimeIsAgreedOn) {
  const Taken sum{0, 100 * (rank_ + 1), false};
  EXPECT_THAT(agree({one_after_the_other(true), sum}, true).times_ns,
              ElementsAre(500, 50 * (ranks_ + 1)));
}

TEST_F(Agreement, OneInTroubleIsEnough) {
  EXPECT_FALSE(agree_on_trouble(world_.get(), false, 0).any);
  EXPECT_TRUE(agree_on_trouble(world_.get(), rank_ == ranks_ - 1, 0).any);
  EXPECT_EQ(agree_on_trouble(world_.get(), false, rank_).id, last_);
}

TEST_F(Agreement, AClockIsGoodForWhatIsLongerThanTwentyTimesItsError) {
  const mpi::GlobalClock own;
  EXPECT_TRUE(is_good_for(own, start_ns, 0));
  const mpi::GlobalClock clock(world_.get());
  const std::int64_t now_ns = clock.synchronised_ns();
  const std::int64_t error_ns = clock.error_ns(now_ns);
  EXPECT_TRUE(is_good_for(clock, now_ns, 20 * error_ns));
  EXPECT_FALSE(is_good_for(clock, now_ns, 20 * error_ns - 1));
}

}  // namespace
}  // namespace gatherbench::selection
