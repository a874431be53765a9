// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI library's own algorithms: each moves every distribution, and is what the library was told
// to run. Those that are chosen at start only have a launch each, in
// tests/program/native/test_native.py.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>

#include "bench/measure/checked_buffers.h"
#include "bench/measure/measure.h"
#include "bench/native/native_choice.h"
#include "bench/plan/contenders.h"
#include "distributions/block_sizes.h"
#include "runtime/mpi/buffers.h"
#include "tests/bench/test_launch.h"

namespace gatherbench::bench {
namespace {

using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;
using testing::Optional;

algorithms::Choice choice_of(std::string variant) {
  return {algorithms::find_algorithm("native"), std::move(variant)};
}

/// The names that can be had one after the other in one launch.
std::vector<std::string> variants_here(const collectives::Collective& collective) {
  const NativeVariants variants = find_native_variants(collective);
  return variants.one_a_launch ? std::vector<std::string>() : variants.names;
}

/// Buffers of one layout, and a library algorithm prepared on them.
class Trial {
 public:
  Trial(const collectives::Collective& collective, const algorithms::Choice& choice,
        mpi::Layout layout, bool in_place, bool commutes = true)
      : layout_(std::move(layout)),
        comm_(make_native_communicator(collective, choice, MPI_COMM_WORLD)),
        part_(part_of(collective, comm_.rank(), comm_.size())),
        send_(std::max<std::int64_t>(layout_.bytes(part_.initial), 1)),
        receive_(layout_.bytes(part_.goal) + guard_bytes),
        with_(operator_of(collective, commutes)),
        made_(collective.combines ? std::make_unique<const MpiOperator>(with_) : nullptr),
        checked_(collective, comm_.rank(), comm_.size(), layout_,
                 send_pointer(collective, in_place), receive_.data(), 0, with_),
        call_(call_of(NativeCall(collective, choice, layout_, send_pointer(collective, in_place),
                                 receive_.data(), comm_.get(), 0,
                                 made_ == nullptr ? mpi::Reduction{} : made_->reduction()))) {}

  /// What is wrong with the received bytes on the lowest rank where something is.
  std::string fault() {
    checked_.poison();
    {
      const mpi::ScopedSettings armed = call_->arm();
      call_->run();
    }
    return first_text(checked_.fault(), comm_.get());
  }
  [[nodiscard]] const std::unique_ptr<PreparedCall>& call() const { return call_; }
  [[nodiscard]] MPI_Comm comm() const { return comm_.get(); }

 private:
  std::byte* send_pointer(const collectives::Collective& collective, bool in_place) {
    return part_.in_place_if(in_place || collective.one_buffer) ? nullptr : send_.data();
  }
  /// Elements of a byte, so that all sizes are legal; the operator that commutes is MPI's own.
  static Operator operator_of(const collectives::Collective& collective, bool commutes) {
    if (!collective.combines) return {};
    return {&find_operation("--op", commutes ? "sum" : "compose"), &find_type("--type", "char")};
  }

  mpi::Layout layout_;
  mpi::Communicator comm_;
  collectives::Part part_;
  mpi::Buffer send_;
  mpi::Buffer receive_;
  Operator with_;
  std::unique_ptr<const MpiOperator> made_;  // null: the collective combines nothing
  CheckedBuffers checked_;
  std::unique_ptr<PreparedCall> call_;
};

int world_size() { return mpi::Communicator::duplicate(MPI_COMM_WORLD).size(); }

mpi::Layout equal_blocks(const collectives::Collective& collective, std::int64_t bytes) {
  const auto blocks = static_cast<std::size_t>(collective.blocks(world_size()));
  return mpi::Layout(std::vector<std::int64_t>(blocks, bytes));
}

TEST(Native, EveryVariantMovesEveryDistribution) {
  const int ranks = world_size();
  for (const collectives::Collective& collective : collectives::all_collectives()) {
    const char* const which = collective.unequal_blocks ? "all" : "regular";
    for (const std::string& variant : variants_here(collective)) {
      const algorithms::Choice choice = choice_of(variant);
      for (const distributions::Distribution& distribution :
           distributions::parse_distributions("-d", which, {})) {
        for (const std::int64_t bytes : {1, 13, 20000}) {
          const mpi::Layout layout(
              distributions::block_sizes(distribution, collective.blocks(ranks), bytes));
          for (const bool in_place : {false, true}) {
            const CallShape shape{ranks, in_place, layout.total()};
            if (why_not(collective, choice, shape)) continue;
            EXPECT_EQ(Trial(collective, choice, layout, in_place).fault(), "")
                << variant << ", " << distribution.label << ", " << bytes << " bytes, in_place "
                << in_place;
          }
        }
      }
    }
  }
}

// What would combine in another order is skipped, and nothing else is wrong.
TEST(Native, EveryVariantKeepsTheOrderOfRanksOrIsSkipped) {
  const int ranks = world_size();
  for (const collectives::Collective& collective : collectives::all_collectives()) {
    if (!collective.combines) continue;
    for (const std::string& variant : variants_here(collective)) {
      const algorithms::Choice choice = choice_of(variant);
      for (const std::int64_t bytes : {13, 20000}) {
        const CallShape shape{.ranks = ranks, .elements = bytes, .commutes = false};
        if (why_not(collective, choice, shape)) continue;
        EXPECT_EQ(Trial(collective, choice, equal_blocks(collective, bytes), false, false).fault(),
                  "")
            << variant << " of " << collective.name << ", " << bytes << " bytes";
      }
    }
  }
}

TEST(Native, ArmedTheLibraryHasTheChoiceAndThenItsOwnAgain) {
  for (const collectives::Collective& collective : collectives::all_collectives()) {
    for (const std::string& variant : variants_here(collective)) {
      const std::vector<mpi::Setting> settings =
          find_native_settings(collective, choice_of(variant));
      if (settings.empty()) continue;
      Trial chosen(collective, choice_of(variant), equal_blocks(collective, 8), false);
      Trial plain(collective, choice_of(""), equal_blocks(collective, 8), false);
      const mpi::ControlVariable& variable = settings[0].variable;
      const int before = variable.read();
      {
        const mpi::ScopedSettings armed = chosen.call()->arm();
        for (const mpi::Setting& setting : settings) {
          EXPECT_EQ(setting.variable.read(), setting.value) << setting.variable.name();
        }
        EXPECT_NE(variable.read(), before) << variant;
      }
      const mpi::ScopedSettings armed = plain.call()->arm();
      EXPECT_EQ(variable.read(), before) << variant;
    }
  }
}

/// Whether the library says so itself when it cannot run what it was told: where it looks at the
/// choice in each call it is told not to replace it, and Open MPI's two_proc is an error anyway.
/// All-reduces are left out: MPICH 5's barriers call some by the same choice, and ranks do not come
/// back from a barrier in which one was refused.
bool is_refused(const collectives::Collective& collective, const algorithms::Choice& choice) {
  if (&collective == &collectives::allreduce) return false;
  return !find_native_settings(collective, choice).empty() || choice.variant == "two_proc";
}

// So the choice was in force in what ran above, and nothing there was replaced.
TEST(Native, WhatIsSkippedTheLibraryRefuses) {
  const int ranks = world_size();
  if (ranks == 1) GTEST_SKIP() << "Open MPI copies, whatever the choice";
  for (const collectives::Collective& collective : collectives::all_collectives()) {
    for (const std::string& variant : variants_here(collective)) {
      const algorithms::Choice choice = choice_of(variant);
      if (!why_not(collective, choice, {ranks})) continue;
      if (!is_refused(collective, choice)) continue;
      Trial trial(collective, choice, equal_blocks(collective, 8), false);
      EXPECT_THROW(trial.fault(), mpi::MpiError) << variant;
      std::mt19937_64 random(1);
      mpi::GlobalClock clock;
      const auto launch = launch_of({.iterations = 1});
      const Case the_case = undelayed();
      EXPECT_THROW(measure({&trial.call(), 1}, {launch, the_case}, {}, random, clock,
                           GroupComms(trial.comm())),
                   mpi::MpiError)
          << variant;
      EXPECT_EQ(Trial(collective, choice_of(""), equal_blocks(collective, 8), false).fault(), "");
    }
  }
}

TEST(Native, ChoosingForACommunicatorLeavesNoTrace) {
  for (const collectives::Collective& collective : collectives::all_collectives()) {
    const std::string name = fmt::format("coll_tuned_{}_algorithm", collective.name);
    const auto variable = mpi::ControlVariable::find(name);
    if (!variable) continue;
    const int before = variable->read();
    for (const std::string& variant : variants_here(collective)) {
      const mpi::Communicator made =
          make_native_communicator(collective, choice_of(variant), MPI_COMM_WORLD);
      EXPECT_EQ(variable->read(), before) << variant;
    }
  }
}

TEST(Native, SaysWhatWouldRunInstead) {
  if (!NativeLibrary::at_hand(collectives::allgather)) {
    GTEST_SKIP() << "what this library does instead is not known: it has no control variables";
  }
  for (const collectives::Collective& collective : collectives::all_collectives()) {
    for (const std::string& variant : find_native_variants(collective).names) {
      const auto reason = [&](int ranks) {
        return why_not(collective, choice_of(variant), {ranks});
      };
      if (variant == "recursive_doubling" && collective.gathers()) {
        EXPECT_THAT(
            reason(6),
            Optional(HasSubstr("instead: needs a power-of-two number of ranks; ranks = 6")));
        EXPECT_EQ(reason(8), std::nullopt);
      } else if (variant == "neighbor") {
        EXPECT_THAT(reason(5),
                    Optional(HasSubstr("run ring instead: needs an even number of ranks")));
        EXPECT_EQ(reason(6), std::nullopt);
      } else if (variant == "two_proc") {
        EXPECT_THAT(reason(4), Optional(HasSubstr("end the job: needs 2 ranks; ranks = 4")));
        EXPECT_EQ(reason(2), std::nullopt);
      } else if (variant == "pairwise_sendrecv_replace") {
        EXPECT_THAT(reason(6), Optional(HasSubstr("end the job: needs --in-place")));
        EXPECT_EQ(why_not(collective, choice_of(variant), {6, true}), std::nullopt);
      } else if (variant == "smp") {
        EXPECT_THAT(reason(6), Optional(HasSubstr("end the job: needs several nodes")));
      } else if (variant == "segmented_ring") {
        EXPECT_THAT(reason(6), Optional(HasSubstr("run ring instead: needs a size of segments")));
      } else if (variant == "reduce_scatter_allgather") {
        EXPECT_THAT(reason(6),
                    AnyOf(Eq(std::nullopt),
                          Optional(HasSubstr("fail in a barrier: needs MPICH before 5"))));
      } else {
        EXPECT_EQ(reason(6), std::nullopt) << variant;
        EXPECT_EQ(reason(7), std::nullopt) << variant;
      }
    }
    EXPECT_EQ(why_not(collective, choice_of(""), {1}), std::nullopt);
  }
}

}  // namespace
}  // namespace gatherbench::bench
