// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that congest: who sends to whom, and when. Their MPI_Isend is seen by the one here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>

#include "bench/conditions/congestion.h"
#include "bench/host/nodes.h"
#include "formats/text/input_error.h"
#include "runtime/mpi/handles.h"

namespace {

/// In memory that all ranks share: whether somebody wants ranks to congest. Null: nobody counts.
std::atomic<int>* wanted = nullptr;
std::map<int, int> sent_to;  // by destination
int unwanted = 0;

}  // namespace

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  if (wanted != nullptr) {
    ++sent_to[to];
    if (*wanted == 0) ++unwanted;
  }
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

namespace gatherbench::bench {
namespace {

using testing::HasSubstr;

/// The upper half of the ranks, so that there are two of them: "2:3" of four.
std::string upper_half(int ranks) {
  return std::to_string(std::max(1, ranks / 2)) + ":" + std::to_string(ranks - 1);
}

bool is_expected(const std::string& pattern, int from, int to, int ranks) {
  if (pattern == "incast") return from > 0 && to == 0;
  if (pattern == "outcast") return from == 0 && to > 0;
  if (pattern == "alltoall") return from != to;
  return (to - from + ranks) % ranks == ranks / 2;
}

class Patterns : public testing::TestWithParam<std::string> {};

TEST_P(Patterns, AreSentWhileSomebodyWantsThemAndAtNoOtherTime) {
  const int ranks = mpi::size_of(MPI_COMM_WORLD);
  if (ranks < 3 || find_nodes(MPI_COMM_WORLD).count() > 1) GTEST_SKIP();
  const int rank = mpi::rank_of(MPI_COMM_WORLD);
  MPI_Win window = MPI_WIN_NULL;
  std::atomic<int>* own = nullptr;
  MPI_Win_allocate_shared(rank == 0 ? sizeof *own : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                          static_cast<void*>(&own), &window);
  MPI_Aint bytes = 0;
  int unit = 0;
  std::atomic<int>* shared = nullptr;
  MPI_Win_shared_query(window, 0, &bytes, &unit, static_cast<void*>(&shared));
  if (rank == 0) *shared = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  sent_to.clear();
  unwanted = 0;
  {
    Congestion congestion(
        "--congest", parse_congestion("--congest", upper_half(ranks) + ":" + GetParam() + ":100"),
        MPI_COMM_WORLD);
    ASSERT_EQ(congestion.congests(), rank >= std::max(1, ranks / 2));
    if (congestion.congests()) {
      wanted = shared;
      congestion.serve();
      wanted = nullptr;
    } else {
      EXPECT_EQ(mpi::size_of(congestion.measured()), std::max(1, ranks / 2));
      for (int turn = 0; turn < 20; ++turn) {
        if (rank == 0) *shared = 1;
        congestion.begin();
        MPI_Barrier(congestion.measured());
        congestion.end();
        if (rank == 0) *shared = 0;
      }
    }
  }
  EXPECT_EQ(unwanted, 0);
  const int first = std::max(1, ranks / 2);
  for (int to = 0; to < ranks - first && rank >= first; ++to) {
    const bool is_sent = is_expected(GetParam(), rank - first, to, ranks - first);
    if (is_sent) {
      EXPECT_GE(sent_to[to], 20);
    } else {
      EXPECT_EQ(sent_to[to], 0) << "from " << rank - first << " to " << to;
    }
  }
  MPI_Win_free(&window);
}

INSTANTIATE_TEST_SUITE_P(All, Patterns, testing::Values("incast", "outcast", "alltoall", "shift"),
                         [](const auto& name) { return name.param; });

TEST(Congestion, TellsWhatItsRanksWillTake) {
  const int ranks = mpi::size_of(MPI_COMM_WORLD);
  if (ranks < 4 || find_nodes(MPI_COMM_WORLD).count() > 1) GTEST_SKIP();
  const int congesting = ranks - std::max(1, ranks / 2);
  // Four messages from each peer that sends, and one to send from.
  const std::map<std::string, std::int64_t> expected{{"incast", 4 * (congesting - 1) * 100},
                                                     {"outcast", 4 * 100},
                                                     {"alltoall", (4 * (congesting - 1) + 1) * 100},
                                                     {"shift", (4 + 1) * 100}};
  for (const auto& [pattern, bytes] : expected) {
    Congestion congestion("--congest",
                          parse_congestion("--congest", upper_half(ranks) + ":" + pattern + ":100"),
                          MPI_COMM_WORLD);
    EXPECT_EQ(congestion.memory().of_rank, bytes) << pattern;
    EXPECT_EQ(congestion.memory().ranks_here, congesting);
    EXPECT_GT(congestion.memory().share, 0);
    if (congestion.congests()) congestion.serve();
  }
}

TEST(Congestion, NobodyCongestsUnlessAsked) {
  const Congestion congestion("--congest", parse_congestion("--congest", ""), MPI_COMM_WORLD);
  EXPECT_FALSE(congestion.is_any());
  EXPECT_EQ(congestion.measured(), MPI_COMM_WORLD);
  EXPECT_EQ(congestion.memory().of_rank, 0);
  EXPECT_EQ(congestion.memory().ranks_here, 0);
}

TEST(Congestion, RanksBeyondTheLaunchAreRefusedOnEveryRank) {
  const int ranks = mpi::size_of(MPI_COMM_WORLD);
  const std::string text = "1:" + std::to_string(ranks + 1) + ":incast:8";
  EXPECT_THAT([&] { Congestion("--congest", parse_congestion("--congest", text), MPI_COMM_WORLD); },
              testing::ThrowsMessage<text::InputError>(HasSubstr("legal: ranks 1 to ")));
}

}  // namespace
}  // namespace gatherbench::bench
