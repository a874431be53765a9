// SPDX-License-Identifier: BSD-3-Clause
//
// Which differences of predicted arrivals an all-gather makes use of. The predictions are made up,
// so nothing here depends on how fast the machine is.
#include <gtest/gtest.h>

#include <vector>

#include "algorithms/registry.h"
#include "bench/measure/checked_buffers.h"
#include "runtime/mpi/arrival_aware/arrival_aware.h"
#include "runtime/mpi/buffers.h"
#include "tests/schedule_of.h"

namespace gatherbench::mpi {
namespace {

constexpr std::int64_t us = 1000;

/// Background steps of any rank if rank 0 is predicted late by so much, with messages of 10 us, and
/// every rank's predictions use to be wrong by `error_ns`.
struct Found {
  int background_steps = 0;
  double resolution_us = 0;
  std::string fault;
};

Found gather(std::int64_t late_ns, std::int64_t error_ns) {
  Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  const int rank = comm.rank();
  const Layout layout(std::vector<std::int64_t>(static_cast<std::size_t>(comm.size()), 64));
  const Buffer send(layout.bytes(rank));
  const Buffer receive(layout.total() + bench::guard_bytes);
  bench::CheckedBuffers buffers(collectives::allgather, rank, comm.size(), layout, send.data(),
                                receive.data());
  PredictedGather gather({choice("bdr:tau=10us"), layout, send.data(), receive.data(), 10, {}},
                         Communicator::duplicate(comm.get()));
  buffers.poison();
  const std::int64_t now = 1'000'000'000;
  gather.start({now, now + (rank == 0 ? late_ns : 0), error_ns});
  gather.run();
  Found found;
  found.fault = bench::first_text(buffers.fault(), comm.get());
  const auto own = static_cast<int>(gather.figures().background_steps);
  MPI_Allreduce(&own, &found.background_steps, 1, MPI_INT, MPI_SUM, comm.get());
  found.resolution_us = gather.figures().resolution_us;
  return found;
}

int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

TEST(PredictedGather, UsesWhatAMessageFitsIn) {
  if (world_size() < 2) GTEST_SKIP() << "nobody is late alone";
  const Found found = gather(25 * us, 0);
  EXPECT_EQ(found.fault, "");
  EXPECT_GT(found.background_steps, 0);
  EXPECT_DOUBLE_EQ(found.resolution_us, 5);
}

TEST(PredictedGather, UsesNoDifferenceThatPredictionCannotTell) {
  const Found found = gather(25 * us, 100 * us);
  EXPECT_EQ(found.fault, "");
  EXPECT_EQ(found.background_steps, 0);
  EXPECT_DOUBLE_EQ(found.resolution_us, 100);
}

}  // namespace
}  // namespace gatherbench::mpi
