// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>

#include "bench/measure/launch_warmup.h"
#include "bench/options/options.h"
#include "runtime/mpi/handles.h"

namespace {

int exchanges = 0;
int largest = 0;

}  // namespace

// Of the test program alone: stands before the library's.
extern "C" int MPI_Sendrecv(const void* sent, int count, MPI_Datatype type, int to, int tag,
                            void* received, int receive_count, MPI_Datatype receive_type, int from,
                            int receive_tag, MPI_Comm comm, MPI_Status* status) {
  ++exchanges;
  largest = std::max(largest, count);
  return PMPI_Sendrecv(sent, count, type, to, tag, received, receive_count, receive_type, from,
                       receive_tag, comm, status);
}

namespace gatherbench::bench {
namespace {

void warm_up(const Options& options, std::int64_t bytes) {
  exchanges = 0;
  largest = 0;
  warm_up_launch(options, bytes, MPI_COMM_WORLD);
}

TEST(LaunchWarmup, SendsMessagesOfTheLargestBlock) {
  warm_up(Options{}, 1000);
  if (mpi::size_of(MPI_COMM_WORLD) == 1) {
    EXPECT_EQ(exchanges, 0);
    return;
  }
  EXPECT_GE(exchanges, 1);
  EXPECT_LE(exchanges, 2000);
  EXPECT_EQ(largest, 1000);
  int of_all = exchanges;
  MPI_Allreduce(MPI_IN_PLACE, &of_all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(exchanges, of_all);
}

TEST(LaunchWarmup, SendsNoMoreThanAMebibyteAtOnce) {
  warm_up(Options{}, std::int64_t{3} << 30);
  EXPECT_EQ(largest, mpi::size_of(MPI_COMM_WORLD) > 1 ? 1 << 20 : 0);
}

TEST(LaunchWarmup, IsLeftOutWhereNoWarmUpIsAskedFor) {
  Options options;
  options.warmup = 0;
  warm_up(options, 1000);
  EXPECT_EQ(exchanges, 0);
  EXPECT_EQ(describe_launch_warmup(options), "none");
  EXPECT_EQ(describe_launch_warmup(Options{}), "2000 exchanges or 0.3 s");
}

}  // namespace
}  // namespace gatherbench::bench
