// SPDX-License-Identifier: BSD-3-Clause
//
// In whatever worlds: what trying costs stays within the budget.
#include <gtest/gtest.h>

#include "runtime/policies/agstar.h"
#include "tests/runtime/policies/replay.h"
#include "tests/runtime/policies/worlds.h"

namespace gatherbench::policies {
namespace {

/// The time that calls of others than the leader took over its time.
struct Excess {
  std::int64_t of_last_round = 0;
  std::int64_t of_trials = 0;  // plain calls of a candidate since that round
  std::int64_t of_duels = 0;   // since then
  std::int64_t of_leader = 0;  // and of a leader that native then replaced
};

/// Drives a policy through a world and looks at each call plan from outside.
class Accountant {
 public:
  Accountant(const World& world, std::int64_t budget_permille, bool with_gaps)
      : world_(world),
        budget_permille_(budget_permille),
        with_gaps_(with_gaps),
        policy_(world.candidates, budget_permille) {}

  void run(std::int64_t calls) {
    CallPlan call_plan = policy_.next({});
    while (call_ < calls) {
      const std::size_t leader = policy_.leader();
      std::int64_t before_ns = policy_.excess_ns();
      const bool is_round = call_plan.size() > 1 && call_plan[0].calls == Agstar::run;
      if (is_round) require_paid();
      if (is_round) agreements_ns_ = 0;
      const std::vector<std::int64_t> times = measure(call_plan);
      if (with_gaps_ && call_plan[0].timing == Timing::each) policy_.heed_gaps(gaps(call_plan));
      count_agreement(before_ns);
      const CallPlan next = policy_.next(times);
      const std::int64_t cost_ns = policy_.excess_ns() - before_ns;
      if (call_plan.size() == 1 && call_plan[0].candidate == leader) {
        // The leader's own calls are free, but for the last ones.
        EXPECT_TRUE(cost_ns == 0 || policy_.leader() != leader) << world_.seed;
        last_.of_leader += cost_ns;
      } else {
        note(call_plan, cost_ns);
      }
      require_bound();
      call_plan = next;
    }
  }

 private:
  /// Agreements take nothing in every third world.
  void count_agreement(std::int64_t& excess_ns) {
    const auto most = hashed(world_.seed, 13) % 3 * 200'000;
    const auto ns = static_cast<std::int64_t>(
        hashed(world_.seed, 14, static_cast<std::uint64_t>(call_)) % (most + 1));
    policy_.count_agreement(ns);
    agreements_ns_ += ns;
    excess_ns += ns;
  }

  std::vector<std::int64_t> measure(const CallPlan& call_plan) {
    std::vector<std::int64_t> times;
    for (const Phase& phase : call_plan) {
      for (std::int64_t i = 0; i < phase.calls; ++i, ++call_) {
        if (phase.is_timed(i)) times.push_back(world_.time(call_, phase.candidate));
      }
    }
    return times;
  }

  /// Longer and shorter than calls, and some so even that bills are made out.
  [[nodiscard]] std::vector<std::int64_t> gaps(const CallPlan& call_plan) const {
    std::vector<std::int64_t> found;
    for (const Phase& phase : call_plan) {
      const auto own =
          static_cast<std::int64_t>(hashed(world_.seed, 15, phase.candidate) % 200'000);
      const std::uint64_t noise = hashed(world_.seed, 16) % 3 * 10'000;
      for (std::int64_t i = 0; i < phase.calls; ++i) {
        const auto number = static_cast<std::uint64_t>(call_ + i);
        found.push_back(i == 0 ? no_gap
                               : own + static_cast<std::int64_t>(hashed(world_.seed, 17, number) %
                                                                 (noise + 1)));
      }
    }
    return found;
  }

  void note(const CallPlan& call_plan, std::int64_t cost_ns) {
    if (call_plan[0].calls == Agstar::duel_run && call_plan.size() > 1) {
      last_.of_duels += cost_ns;
    } else if (call_plan.size() > 1) {
      last_ = {.of_last_round = cost_ns};
      trials_ = 0;
    } else if (cost_ns > 0) {
      last_.of_trials += cost_ns;
      EXPECT_LE(call_plan[0].calls, Agstar::longest_trial) << world_.seed;
      EXPECT_EQ(++trials_, 1) << world_.seed << ": plain calls cost something twice";
    }
  }

  /// A round begins only when all of before is paid.
  void require_paid() const {
    EXPECT_LE(1000 * policy_.excess_ns(), budget_permille_ * policy_.spent_ns() + 1000)
        << world_.seed << " at call " << call_;
  }

  /// Rounding of four numbers is 1 ns each at most.
  void require_bound() const {
    const std::int64_t allowed_ns = budget_permille_ * policy_.spent_ns() / 1000 +
                                    last_.of_last_round + last_.of_trials + last_.of_duels +
                                    last_.of_leader + agreements_ns_;
    EXPECT_LE(policy_.excess_ns(), allowed_ns + 4) << world_.seed << " at call " << call_;
  }

  const World& world_;
  std::int64_t budget_permille_;
  bool with_gaps_;
  Agstar policy_;
  std::int64_t call_ = 0;
  Excess last_;
  std::int64_t agreements_ns_ = 0;  // since the last round began
  int trials_ = 0;
};

TEST(AgstarBound, HoldsInAnyWorld) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const World world(seed);
    for (const std::int64_t budget_permille : {0, 10, 50}) {
      for (const bool with_gaps : {false, true}) {
        Accountant(world, budget_permille, with_gaps).run(1500);
        ASSERT_FALSE(HasFailure());
      }
    }
  }
}

}  // namespace
}  // namespace gatherbench::policies
