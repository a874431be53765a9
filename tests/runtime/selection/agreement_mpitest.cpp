// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include "runtime/mpi/handles.h"
#include "runtime/selection/agreement.h"

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

  /// Rank r comes r x 1000 ns after the start, and all leave so much after the last of them.
  [[nodiscard]] Taken one_after_the_other(bool from_last_arrival, std::int64_t ns = 500) const {
    return {start_ns + 1000 * rank_, start_ns + 1000 * last_ + ns, from_last_arrival};
  }
  [[nodiscard]] Agreed agree(std::vector<Taken> taken, const mpi::GlobalClock& clock = {}) const {
    return agree_on_times(world_.get(), ranks_, clock,
                          {taken, start_ns, 40 + rank_, 7000 + 100 * (last_ - rank_)});
  }
};

TEST_F(Agreement, WaitingForLateRanksIsNoOnesTime) {
  const Agreed agreed = agree({one_after_the_other(true)});
  EXPECT_THAT(agreed.times_ns, ElementsAre(500));
  EXPECT_EQ(agreed.last_arrival_ns, start_ns + 1000 * last_);
  EXPECT_EQ(agreed.id, 40 + last_);
  EXPECT_EQ(agreed.former_ns, 7000);
}

TEST_F(Agreement, OfACallThatSomeMayLeaveBeforeOthersComeItIsPartToo) {
  EXPECT_THAT(agree({one_after_the_other(false)}).times_ns, ElementsAre(500 + 500 * last_));
}

TEST_F(Agreement, OfACallWithARootTheSlowestRanksTimeCounts) {
  const std::vector<Taken> taken{one_after_the_other(false), one_after_the_other(true)};
  const Own own{.taken = taken, .base_ns = start_ns, .of_slowest = true};
  EXPECT_THAT(agree_on_times(world_.get(), ranks_, {}, own).times_ns,
              ElementsAre(500 + 1000 * last_, 500));
}

TEST(IsOfSlowest, OfABoundedPolicyAndARoot) {
  const policies::PolicyKind& agstar = policies::kind_of("agstar");
  EXPECT_TRUE(is_of_slowest(agstar, collectives::reduce));
  EXPECT_TRUE(is_of_slowest(agstar, collectives::bcast));
  EXPECT_FALSE(is_of_slowest(agstar, collectives::allreduce));
  EXPECT_FALSE(is_of_slowest(policies::kind_of("star"), collectives::reduce));
}

TEST_F(Agreement, TimesAreAgreedOnHoweverLongThereWasNoAgreement) {
  // The sum over two ranks would pass 2^63.
  constexpr std::int64_t ages_ns = std::int64_t{1} << 62;
  const Taken late{start_ns + ages_ns + 1000 * rank_, start_ns + ages_ns + 1000 * last_ + 500,
                   true};
  const Taken long_one{0, ages_ns + 100 * (rank_ + 1), false};
  EXPECT_THAT(agree({late, long_one}).times_ns, ElementsAre(500, ages_ns + 50 * (ranks_ + 1)));
}

TEST_F(Agreement, EveryTimeIsAgreedOn) {
  const Taken sum{0, 100 * (rank_ + 1), false};
  EXPECT_THAT(agree({one_after_the_other(true), sum}).times_ns,
              ElementsAre(500, 50 * (ranks_ + 1)));
}

/// The ranks left the call before one after the other too, the last one 200 ns before the start.
TEST_F(Agreement, AGapIsFromTheMeanExitToTheNextCall) {
  const auto gaps = [&](bool from_last_arrival, bool is_known) {
    Taken taken = one_after_the_other(from_last_arrival);
    if (is_known) taken.former_exit_ns = start_ns - 200 - 100 * rank_;
    const std::vector<Taken> all{taken};
    return agree_on_times(world_.get(), ranks_, {},
                          {.taken = all, .base_ns = start_ns, .with_gaps = true})
        .gaps_ns;
  };
  EXPECT_THAT(gaps(true, true), ElementsAre(1000 * last_ + 200 + 50 * last_));
  EXPECT_THAT(gaps(false, true), ElementsAre(500 * last_ + 200 + 50 * last_));
  EXPECT_THAT(gaps(true, rank_ != last_), ElementsAre(policies::no_gap));
  EXPECT_THAT(agree({one_after_the_other(true)}).gaps_ns, testing::IsEmpty());
}

TEST_F(Agreement, AllGoOnFromTheSameOrNoneDoes) {
  const auto agreed_on = [&](std::int64_t known) {
    const std::vector<Taken> taken{one_after_the_other(true)};
    return agree_on_times(
        world_.get(), ranks_, {},
        {.taken = taken, .base_ns = start_ns, .known = known, .unpaid_ns = 200 + rank_});
  };
  EXPECT_TRUE(agreed_on(-7).all_know);
  EXPECT_EQ(agreed_on(-7).unpaid_ns, 200);
  EXPECT_FALSE(agreed_on(0).all_know);
  if (ranks_ == 1) return;
  EXPECT_FALSE(agreed_on(rank_ == last_ ? 8 : 7).all_know);
  EXPECT_FALSE(agreed_on(rank_ == last_ ? 0 : 7).all_know);
}

TEST_F(Agreement, OneThatObjectsIsEnough) {
  const std::vector<Taken> taken{one_after_the_other(true)};
  const auto any_objects = [&](bool own) {
    return agree_on_times(world_.get(), ranks_, {},
                          {.taken = taken, .base_ns = start_ns, .objects = own, .with_gaps = true})
        .any_objects;
  };
  EXPECT_FALSE(any_objects(false));
  EXPECT_TRUE(any_objects(rank_ == last_));
  EXPECT_TRUE(any_objects(rank_ == 0));
}

TEST_F(Agreement, OneInTroubleIsEnough) {
  EXPECT_FALSE(agree_on_trouble(world_.get(), false, 0).any);
  EXPECT_TRUE(agree_on_trouble(world_.get(), rank_ == ranks_ - 1, 0).any);
  EXPECT_EQ(agree_on_trouble(world_.get(), false, rank_).id, last_);
}

/// From the first agreement on. Else a time is the mean of ns, ns + 1000, ns + 2000, ...
TEST_F(Agreement, AClockIsGoodForWhatIsTwentyTimesItsErrorOrLonger) {
  const mpi::GlobalClock clock(world_.get());
  const std::int64_t long_ns = 20 * clock.error_ns(start_ns);
  EXPECT_THAT(agree({one_after_the_other(true, long_ns)}, clock).times_ns, ElementsAre(long_ns));
  EXPECT_THAT(agree({one_after_the_other(true, long_ns - 1)}, clock).times_ns,
              ElementsAre(long_ns - 1 + 500 * last_));
  EXPECT_THAT(
      agree({one_after_the_other(true, long_ns), one_after_the_other(true, long_ns - 1)}, clock)
          .times_ns,
      ElementsAre(long_ns + 500 * last_, long_ns - 1 + 500 * last_));
}

}  // namespace
}  // namespace gatherbench::selection
