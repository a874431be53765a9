// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/host/counters.h"
#include "formats/text/input_error.h"
#include "runtime/mpi/handles.h"
#include "tests/message_of.h"
#include "tests/temporary_folder.h"

namespace gatherbench::bench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Every two ranks are a node. Each rank has a folder of its own, as ranks of several hosts have.
class CounterRecorderTest : public testing::Test {
 protected:
  CounterRecorderTest() {
    for (int rank = 0; rank < mpi::size_of(MPI_COMM_WORLD); ++rank) {
      nodes_.of_rank.push_back(rank / 2);
      if (rank % 2 == 0) nodes_.hosts.push_back(fmt::format("h{}", rank / 2));
    }
  }

  void put(const std::string& path, const std::string& text) const { folder_.put(path, text); }

  int rank_ = mpi::rank_of(MPI_COMM_WORLD);
  const TemporaryFolder folder_;
  const fs::path root_ = folder_.path();
  Nodes nodes_;
};

TEST_F(CounterRecorderTest, TheLowestRankOfAHostReadsForIt) {
  put("proc/stat", "ctxt 100");
  CounterRecorder recorder(nodes_, MPI_COMM_WORLD, root_);
  recorder.begin();
  put("proc/stat", fmt::format("ctxt {}", 110 + rank_));
  recorder.end(20);
  const std::vector<formats::CounterChange> changes = recorder.gather();
  if (rank_ > 0) {
    EXPECT_TRUE(changes.empty());
    return;
  }
  ASSERT_EQ(changes.size(), nodes_.hosts.size());
  for (std::size_t node = 0; node < changes.size(); ++node) {
    EXPECT_EQ(changes[node].host, nodes_.hosts[node]);
    EXPECT_EQ(changes[node].counter, "cpu/context_switches");
    EXPECT_EQ(changes[node].difference, 10 + 2 * static_cast<std::int64_t>(node));
    EXPECT_EQ(changes[node].calls, 20);
    EXPECT_GT(changes[node].between_us, 0);
  }
}

TEST_F(CounterRecorderTest, TwoNodesOfOneHostAreReadOnce) {
  for (std::string& host : nodes_.hosts) host = "same";
  put("proc/stat", "ctxt 100");
  CounterRecorder recorder(nodes_, MPI_COMM_WORLD, root_);
  recorder.begin();
  recorder.end(1);
  EXPECT_EQ(recorder.gather().size(), rank_ == 0 ? 1 : 0);
}

TEST_F(CounterRecorderTest, HostsThatDifferAreNamed) {
  put("proc/stat", "ctxt 100");
  if (rank_ == 0) put("proc/net/snmp", "Tcp: OutSegs\nTcp: 1");
  const CounterRecorder recorder(nodes_, MPI_COMM_WORLD, root_);
  const std::string with = "no net; no infiniband; no energy; no throttle; no cgroup";
  const std::string without = "no net; no tcp; no infiniband; no energy; no throttle; no cgroup";
  const std::size_t hosts = nodes_.hosts.size();
  EXPECT_EQ(recorder.left_out(),
            hosts == 1 ? with
                       : fmt::format("{} (1 of {} hosts, the first is h0); {} ({} of {} hosts, the "
                                     "first is h1)",
                                     with, hosts, without, hosts - 1, hosts));
}

TEST_F(CounterRecorderTest, WithoutAnyCounterAllRanksRefuse) {
  EXPECT_THAT(message_of([&] { const CounterRecorder recorder(nodes_, MPI_COMM_WORLD, root_); }),
              HasSubstr("--record: 'counters' has nothing to record: no net; no tcp;"));
}

}  // namespace
}  // namespace gatherbench::bench
