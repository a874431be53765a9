// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "algorithms/registry.h"
#include "runtime/c_interface/gatherbench.h"
#include "runtime/mpi/handles.h"

namespace gatherbench {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::byte byte_of(int rank, std::int64_t position) {
  return static_cast<std::byte>(1 + rank + 7 * position);
}

/// Unequal blocks in the reverse order of ranks, with three bytes between any two. The first one
/// begins `before` bytes before the receive buffer.
class Gathering {
 public:
  explicit Gathering(std::int64_t before = 0)
      : rank_(mpi::rank_of(MPI_COMM_WORLD)), before_(before) {
    std::int64_t end = 0;
    for (int rank = mpi::size_of(MPI_COMM_WORLD) - 1; rank >= 0; --rank) {
      bytes_.insert(bytes_.begin(), 5 * rank);
      places_.insert(places_.begin(), end - before);
      end += bytes_.front() + 3;
    }
    for (std::int64_t i = 0; i < bytes_[own()]; ++i) send_.push_back(byte_of(rank_, i));
    expected_.resize(static_cast<std::size_t>(std::max(end, before)));
    for (std::size_t rank = 0; rank < bytes_.size(); ++rank) put(expected_, rank);
    clear();
  }

  /// Made and not freed. With `in_place` the own block is in its place.
  gatherbench_plan* init(const char* algorithm, bool in_place) {
    gatherbench_plan* plan = nullptr;
    const void* const send = in_place ? MPI_IN_PLACE : send_.data();
    code = gatherbench_allgatherv_init(send, receive_.data() + before_, bytes_.data(),
                                       places_.data(), MPI_COMM_WORLD, algorithm, &plan);
    return plan;
  }
  void clear() {
    receive_.assign(expected_.size(), std::byte{});
    put(receive_, own());
  }
  [[nodiscard]] bool is_right() const { return receive_ == expected_; }

  int code = MPI_SUCCESS;

 private:
  [[nodiscard]] std::size_t own() const { return static_cast<std::size_t>(rank_); }
  void put(std::vector<std::byte>& buffer, std::size_t rank) const {
    for (std::int64_t i = 0; i < bytes_[rank]; ++i) {
      buffer[static_cast<std::size_t>(before_ + places_[rank] + i)] =
          byte_of(static_cast<int>(rank), i);
    }
  }

  int rank_;
  std::int64_t before_;
  std::vector<std::int64_t> bytes_;
  std::vector<std::int64_t> places_;
  std::vector<std::byte> send_;
  std::vector<std::byte> receive_;
  std::vector<std::byte> expected_;
};

/// Twice, and once without waiting.
void expect_three_runs(Gathering& gathering, gatherbench_plan* plan) {
  for (int run = 0; run < 2; ++run) {
    gathering.clear();
    EXPECT_EQ(gatherbench_run(plan), MPI_SUCCESS) << gatherbench_error();
    EXPECT_TRUE(gathering.is_right());
  }
  gathering.clear();
  EXPECT_EQ(gatherbench_start(plan), MPI_SUCCESS);
  int done = 0;
  EXPECT_EQ(gatherbench_test(plan, &done), MPI_SUCCESS);
  EXPECT_EQ(gatherbench_wait(plan), MPI_SUCCESS);
  EXPECT_EQ(gatherbench_test(plan, nullptr), MPI_ERR_ARG);
  EXPECT_TRUE(gathering.is_right());
}

TEST(CInterface, EveryAlgorithmGathers) {
  Gathering gathering;
  int made = 0;
  for (const algorithms::Algorithm* one : algorithms::algorithms_of(&collectives::allgather)) {
    const std::string name(one->name);
    for (const bool in_place : {false, true}) {
      gatherbench_plan* plan = gathering.init(name.c_str(), in_place);
      if (gathering.code == MPI_ERR_ARG) {  // it needs another number of ranks, or is not ours
        EXPECT_EQ(plan, nullptr);
        EXPECT_THAT(gatherbench_error(), HasSubstr(name));
        continue;
      }
      ASSERT_EQ(gathering.code, MPI_SUCCESS) << name << ": " << gatherbench_error();
      SCOPED_TRACE(name);
      expect_three_runs(gathering, plan);
      EXPECT_EQ(gatherbench_free(&plan), MPI_SUCCESS);
      EXPECT_EQ(plan, nullptr);
      ++made;
    }
  }
  EXPECT_GE(made, 40);
}

// Some blocks do, or all of them.
TEST(CInterface, BlocksMayLieBeforeTheReceiveBuffer) {
  for (const std::int64_t before : {1, 20, 500}) {
    Gathering gathering(before);
    for (const char* const name : {"ring", "bruck", "sparbit", "linear_gather_bcast",
                                   "pipelined_ring:segment=4", "linear:via=window"}) {
      for (const bool in_place : {false, true}) {
        SCOPED_TRACE(testing::Message() << name << ", " << before << " bytes before");
        gatherbench_plan* plan = gathering.init(name, in_place);
        ASSERT_EQ(gathering.code, MPI_SUCCESS) << gatherbench_error();
        expect_three_runs(gathering, plan);
        EXPECT_EQ(gatherbench_free(&plan), MPI_SUCCESS);
      }
    }
  }
}

TEST(CInterface, CopiesWithinANode) {
  Gathering gathering;
  for (const char* const name : {"linear:via=window", "leader:via=window", "ring:via=window"}) {
    gatherbench_plan* plan = gathering.init(name, false);
    ASSERT_EQ(gathering.code, MPI_SUCCESS) << name << ": " << gatherbench_error();
    SCOPED_TRACE(name);
    expect_three_runs(gathering, plan);
    EXPECT_EQ(gatherbench_free(&plan), MPI_SUCCESS);
  }
}

// A plan behaves as a persistent request of MPI.
TEST(CInterface, WhatIsUnderWayIsNotBegunAgain) {
  Gathering gathering;
  gatherbench_plan* plan = gathering.init("ring", false);
  ASSERT_EQ(gathering.code, MPI_SUCCESS) << gatherbench_error();
  int done = 0;
  EXPECT_EQ(gatherbench_wait(plan), MPI_SUCCESS);
  EXPECT_EQ(gatherbench_test(plan, &done), MPI_SUCCESS);
  EXPECT_EQ(done, 1);
  gathering.clear();
  ASSERT_EQ(gatherbench_start(plan), MPI_SUCCESS);
  EXPECT_EQ(gatherbench_start(plan), MPI_ERR_REQUEST);
  EXPECT_THAT(gatherbench_error(), StartsWith("plan: is under way"));
  EXPECT_EQ(gatherbench_run(plan), MPI_ERR_REQUEST);
  gatherbench_plan* const kept = plan;
  EXPECT_EQ(gatherbench_free(&plan), MPI_ERR_REQUEST);
  EXPECT_EQ(plan, kept);
  do {
    ASSERT_EQ(gatherbench_test(plan, &done), MPI_SUCCESS);
  } while (done == 0);
  EXPECT_TRUE(gathering.is_right());
  EXPECT_EQ(gatherbench_run(plan), MPI_SUCCESS);
  EXPECT_EQ(gatherbench_free(&plan), MPI_SUCCESS);
}

int to_fortran(MPI_Comm comm) {
#ifdef MPI_ABI
  return MPI_Comm_toint(comm);
#else
  return MPI_Comm_c2f(comm);
#endif
}

TEST(CInterface, FortransCommunicatorsAreTaken) {
  const int ranks = mpi::size_of(MPI_COMM_WORLD);
  const int own = mpi::rank_of(MPI_COMM_WORLD);
  std::vector<int> all(static_cast<std::size_t>(ranks));
  gatherbench_plan* plan = nullptr;
  ASSERT_EQ(gatherbench_allgather_init_f(&own, all.data(), sizeof own, to_fortran(MPI_COMM_WORLD),
                                         "ring", &plan),
            MPI_SUCCESS);
  EXPECT_EQ(gatherbench_run(plan), MPI_SUCCESS);
  for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(all[static_cast<std::size_t>(rank)], rank);
  EXPECT_EQ(gatherbench_free(&plan), MPI_SUCCESS);
}

TEST(CInterface, BadArgumentsAreNamed) {
  gatherbench_plan* plan = nullptr;
  int buffer = 0;
  const auto code = [&](std::int64_t bytes, const char* algorithm, MPI_Comm comm) {
    return gatherbench_allgather_init(&buffer, &buffer, bytes, comm, algorithm, &plan);
  };
  EXPECT_EQ(code(4, "rign", MPI_COMM_WORLD), MPI_ERR_ARG);
  EXPECT_THAT(gatherbench_error(), StartsWith("algorithm: 'rign' is no algorithm of allgather"));
  EXPECT_EQ(code(4, "ring,bruck", MPI_COMM_WORLD), MPI_ERR_ARG);
  EXPECT_EQ(code(4, "native", MPI_COMM_WORLD), MPI_ERR_ARG);
  EXPECT_EQ(code(4, nullptr, MPI_COMM_WORLD), MPI_ERR_ARG);
  EXPECT_EQ(code(-1, "ring", MPI_COMM_WORLD), MPI_ERR_ARG);
  EXPECT_THAT(gatherbench_error(), StartsWith("bytes: '-1'"));
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t bytes : {largest, largest / 2 + 2}) {
    EXPECT_EQ(code(bytes, "ring", MPI_COMM_WORLD), MPI_ERR_ARG);
    EXPECT_THAT(gatherbench_error(), StartsWith("bytes: '" + std::to_string(bytes) + "' makes"));
  }
  ASSERT_EQ(code(4, "ring", MPI_COMM_WORLD), MPI_SUCCESS) << gatherbench_error();
  gatherbench_plan* made = plan;
  EXPECT_EQ(code(4, "ring", MPI_COMM_NULL), MPI_ERR_ARG);
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(gatherbench_free(&made), MPI_SUCCESS);
  EXPECT_EQ(gatherbench_allgather_init(&buffer, &buffer, 4, MPI_COMM_WORLD, "ring", nullptr),
            MPI_ERR_ARG);
  EXPECT_THAT(gatherbench_error(), StartsWith("plan: is null"));
  EXPECT_EQ(gatherbench_run(plan), MPI_ERR_ARG);
  EXPECT_THAT(gatherbench_error(), StartsWith("plan: is null"));
  EXPECT_EQ(gatherbench_free(&plan), MPI_SUCCESS);
  EXPECT_EQ(gatherbench_free(nullptr), MPI_ERR_ARG);
}

// All ranks are told, also where one alone has none.
TEST(CInterface, BlocksNeedAReceiveBuffer) {
  const int own = mpi::rank_of(MPI_COMM_WORLD);
  const int last = mpi::size_of(MPI_COMM_WORLD) - 1;
  std::vector<int> buffer(static_cast<std::size_t>(last) + 1);
  const auto code = [&](void* receive, std::int64_t bytes, gatherbench_plan** plan) {
    return gatherbench_allgather_init(&own, receive, bytes, MPI_COMM_WORLD, "ring", plan);
  };
  gatherbench_plan* plan = nullptr;
  EXPECT_EQ(code(own == last ? nullptr : buffer.data(), sizeof own, &plan), MPI_ERR_ARG);
  EXPECT_EQ(gatherbench_error(), "recvbuf: is null on rank " + std::to_string(last) +
                                     "; legal: a buffer that has room for all blocks");
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(code(nullptr, sizeof own, &plan), MPI_ERR_ARG);
  EXPECT_THAT(gatherbench_error(), StartsWith("recvbuf: is null on rank 0"));
  ASSERT_EQ(code(nullptr, 0, &plan), MPI_SUCCESS) << gatherbench_error();
  EXPECT_EQ(gatherbench_run(plan), MPI_SUCCESS);
  EXPECT_EQ(gatherbench_free(&plan), MPI_SUCCESS);
}

}  // namespace
}  // namespace gatherbench
