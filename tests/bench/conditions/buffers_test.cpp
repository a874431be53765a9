// SPDX-License-Identifier: BSD-3-Clause
//
// What --buffers takes of memory.
#include <gtest/gtest.h>

#include <filesystem>

#include "algorithms/choice/parse_algorithms.h"
#include "bench/conditions/buffer_ring.h"
#include "bench/conditions/launch_buffers.h"
#include "bench/plan/memory.h"
#include "distributions/block_sizes.h"
#include "runtime/mpi/plans/lowering.h"
#include "tests/temporary_folder.h"

namespace gatherbench::bench {
namespace {

namespace fs = std::filesystem;

TEST(BufferRing, SpansWhatIsAskedForWithoutTheGuardBytes) {
  for (const std::int64_t span : {1, 64, 1000, 65536, 1 << 20}) {
    for (const std::int64_t sent : {0, 1, 64, 65, 4096}) {
      for (const std::int64_t received : {1, 130, 8192}) {
        const BufferRing ring = make_ring(span, sent, received);
        EXPECT_GE(ring.pairs, 2);
        EXPECT_GE(ring.pairs * (ring.send + ring.receive - guard_bytes), span);
        EXPECT_GE(ring.send, sent);
        EXPECT_GE(ring.receive, received + guard_bytes);
        // No more than it takes: one pair less would not span it.
        if (ring.pairs > 2) {
          EXPECT_LT((ring.pairs - 1) * (sent + received), span);
        }
      }
    }
  }
}

Case case_of(const distributions::Distribution& distribution, std::int64_t bytes) {
  Case one;
  one.collective = &collectives::allgatherv;
  one.distribution = &distribution;
  one.key.ranks = 4;
  one.key.bytes = bytes;
  return one;
}

/// What the buffers of a case take.
MemoryNeed memory_with(const BufferChoice& buffers, const Case& one) {
  return estimate_memory({.options = {}, .buffers = buffers}, one);
}

TEST(MemoryNeed, CountsTheRingOfTheRankThatNeedsMost) {
  const auto spike = distributions::parse_distributions("-d", "spike", {});
  const Case one = case_of(spike[0], 1000);
  const mpi::Layout layout = make_layout(one);
  const MemoryNeed need = memory_with({BufferUse::rotate, 1 << 20}, one);
  EXPECT_EQ(need.send + need.receive + need.other, 0);
  EXPECT_EQ(need.total(), need.ring);
  std::int64_t most = 0;
  for (int rank = 0; rank < 4; ++rank) {
    most = std::max(most, make_ring(1 << 20, layout.bytes(rank), layout.total()).total());
  }
  EXPECT_EQ(need.ring, most);
  EXPECT_GE(need.ring, 1 << 20);
}

TEST(MemoryNeed, CountsWhatIsReadToEmptyTheCaches) {
  const auto regular = distributions::parse_distributions("-d", "regular", {});
  const Case one = case_of(regular[0], 1000);
  const std::int64_t same = memory_with({BufferUse::same}, one).total();
  EXPECT_EQ(memory_with({BufferUse::fresh}, one).total(), same);
  EXPECT_EQ(memory_with({BufferUse::cold, 5000}, one).total(), same + 5000);
}

// What a rank passes on, packs, and moves out of the way in place.
TEST(MemoryNeed, CoversWhatPlansOfAllToAllsTake) {
  const auto regular = distributions::parse_distributions("-d", "regular", {});
  for (const int p : {2, 7, 8, 12}) {
    Case one = case_of(regular[0], 10);
    one.collective = &collectives::alltoall;
    one.key.ranks = p;
    const mpi::Layout layout = make_layout(one);
    for (const algorithms::Choice& choice :
         algorithms::parse_algorithms("-a", "all,bruck:k=3", collectives::alltoall)) {
      const algorithms::Problem problem = algorithms::problem_for(choice, p);
      if (choice.algorithm->schedules() == nullptr ||
          algorithms::why_not(*choice.algorithm, problem).has_value()) {
        continue;
      }
      for (const bool in_place : {false, true}) {
        Options options;
        options.in_place = in_place;
        options.noncontiguous = algorithms::Noncontiguous::packed;
        const std::int64_t told =
            estimate_extra_bytes({choice, choice.label(), {}, {}}, options, one, layout);
        const auto schedules = algorithms::make_schedules(*choice.algorithm, problem);
        for (int rank = 0; rank < p; ++rank) {
          const mpi::LoweredSchedule lowered(schedules[static_cast<std::size_t>(rank)], layout,
                                             part_of(collectives::alltoall, rank, p), in_place,
                                             {.noncontiguous = algorithms::Noncontiguous::packed});
          EXPECT_GE(told, lowered.scratch_bytes() + lowered.packed_bytes())
              << choice.label() << ", " << p << " ranks, in place " << in_place;
        }
      }
    }
  }
}

// A case may send more and receive less than another one; both use the same two buffers.
TEST(MemoryNeed, ServesTwoCasesOfWhichEachNeedsMoreOfSomething) {
  const MemoryNeed both = most_of({.send = 6, .receive = 24}, {.send = 10, .receive = 21});
  EXPECT_EQ(both.send, 10);
  EXPECT_EQ(both.receive, 24);
}

TEST(LastLevelCache, IsTheLargestThatTheKernelTells) {
  const TemporaryFolder folder;
  const fs::path& root = folder.path();
  EXPECT_EQ(last_level_cache(root), 0);
  const auto put = [&](const std::string& file, const std::string& text) {
    folder.put(fs::path("sys/devices/system/cpu") / file, text);
  };
  put("cpufreq/cache/index0/size", "unknown");
  put("cpu0/cache/index0/size", "32K");
  EXPECT_EQ(last_level_cache(root), 32 << 10);
  put("cpu0/cache/index3/size", "32768K");
  put("cpu7/cache/index3/size", "16384K");
  put("cpu7/cache/index4/size", "none");
  EXPECT_EQ(last_level_cache(root), 32 << 20);
}

}  // namespace
}  // namespace gatherbench::bench
