// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <optional>

#include "bench/host/cache_line.h"
#include "bench/host/nodes.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

constexpr CacheLineProbe::Limits always{.most_ns_in_case = 1'000'000'000, .fresh_ns = 0};

/// These tests ask whether the measurement ends. How long a line takes, or whether a rank loses its
/// processor, is up to the machine. Only rank 0 gets a time.
void expect_plausible(std::optional<double> us) {
  if (mpi::rank_of(MPI_COMM_WORLD) != 0) {
    EXPECT_FALSE(us);
  } else if (us) {
    EXPECT_GT(*us, 0);
    EXPECT_LT(*us, 1e6);
  }
}

TEST(CacheLine, IsMeasuredHoweverRanksShareProcessors) {
  for (const bool share_processors : {false, true}) {
    CacheLineProbe probe(MPI_COMM_WORLD, share_processors, always);
    const Nodes nodes = find_nodes(MPI_COMM_WORLD);
    const bool has_pair = nodes.count() < mpi::size_of(MPI_COMM_WORLD);
    // Where each rank has a processor, one comes to an end, later if others want the processors.
    const bool ends = has_pair && !nodes.oversubscribed;
    int found = 0;
    for (int i = 0; i < 50 || (ends && found == 0 && i < 50'000); ++i) {
      const std::optional<double> us = probe.look();
      expect_plausible(us);
      if (us) found = 1;
      if (i >= 49) MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (!has_pair) {
      EXPECT_EQ(found, 0);
    }
    if (ends) {
      EXPECT_EQ(found, 1);
    }
  }
}

TEST(CacheLine, IsNotMeasuredAgainWhileItIsFresh) {
  constexpr std::int64_t hour_ns = 3'600'000'000'000;
  CacheLineProbe probe(MPI_COMM_WORLD, false, {.most_ns_in_case = hour_ns, .fresh_ns = hour_ns});
  const std::optional<double> first = probe.look();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(probe.look(), first);
  probe.begin_case();
  EXPECT_EQ(probe.look(), first);
}

TEST(CacheLine, TakesSoLongInACaseAndNoLonger) {
  CacheLineProbe probe(MPI_COMM_WORLD, false, {.most_ns_in_case = 100'000, .fresh_ns = 0});
  for (int i = 0; i < 1000; ++i) expect_plausible(probe.look());
  EXPECT_FALSE(probe.look());
  probe.begin_case();
  expect_plausible(probe.look());
}

}  // namespace
}  // namespace gatherbench::bench
