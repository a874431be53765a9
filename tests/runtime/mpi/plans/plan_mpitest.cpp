// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/choice/parse_algorithms.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/plan.h"
#include "runtime/mpi/window/node_window.h"

namespace gatherbench::mpi {
namespace {

// The last rank is late, and could receive before; but only messages can be begun in advance.
TEST(Plan, NothingRunsAheadOfOneWithAWindow) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  const int ranks = comm.size();
  if (ranks < 2) return;
  const auto p = static_cast<std::size_t>(ranks);
  constexpr std::size_t block = 16;
  const algorithms::Choice choice =
      algorithms::parse_algorithms("-a", "clairvoyant:segments=1:via=window").front();
  algorithms::Problem problem = algorithms::problem_for(choice, ranks);
  problem.rank = comm.rank();
  const std::vector<std::int64_t> block_bytes(p, block);
  problem.block_bytes = block_bytes;
  std::vector<double> arrival_us(p, 0);
  arrival_us.back() = 1000 * ranks;
  problem.arrival_us = arrival_us;
  problem.message_us = 1;
  const LoweredSchedule lowered(
      algorithms::make_schedule(*choice.algorithm, problem), Layout(block_bytes),
      collectives::part_of(collectives::allgather, problem.rank, ranks), false,
      algorithms::form_of(choice, algorithms::Noncontiguous::pipelined));
  if (problem.rank == ranks - 1) {
    EXPECT_GT(lowered.background_steps(), 0U);
  }
  const std::vector<std::byte> send(block, static_cast<std::byte>(problem.rank + 1));
  std::vector<std::byte> receive(p * block);
  Plan plan(lowered, send.data(), receive.data(), comm.get(), Memory::own, {},
            make_window(choice.via, comm.get(), {}));
  EXPECT_EQ(plan.advance(), Advance::done);
  EXPECT_EQ(plan.done_steps(), 0U);
  plan.run();
  for (std::size_t rank = 0; rank < p; ++rank) {
    const std::vector<std::byte> expected(block, static_cast<std::byte>(rank + 1));
    EXPECT_TRUE(std::ranges::equal(std::span(receive).subspan(rank * block, block), expected));
  }
}

constexpr std::size_t block_of_each = 16;

LoweredSchedule lowered_at(const char* algorithm, int rank, int ranks) {
  const algorithms::Choice choice = algorithms::parse_algorithms("-a", algorithm).front();
  algorithms::Problem problem = algorithms::problem_for(choice, ranks);
  problem.rank = rank;
  const std::vector<std::int64_t> block_bytes(static_cast<std::size_t>(ranks), block_of_each);
  problem.block_bytes = block_bytes;
  return {algorithms::make_schedule(*choice.algorithm, problem), Layout(block_bytes),
          collectives::part_of(collectives::allgather, rank, ranks), false,
          algorithms::form_of(choice, algorithms::Noncontiguous::pipelined)};
}

// The buffer of an earlier schedule is the program's again.
TEST(Plan, AnEarlierBroadcastIsForgotten) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  const int rank = comm.rank();
  const int ranks = comm.size();
  const std::vector<std::byte> send(block_of_each, static_cast<std::byte>(rank + 1));
  std::vector<std::byte> expected;
  for (int each = 0; each < ranks; ++each) {
    expected.insert(expected.end(), block_of_each, static_cast<std::byte>(each + 1));
  }
  for (const char* const algorithm : {"linear_gather_bcast", "gather_bcast:bcast=native"}) {
    std::vector<std::byte> first(expected.size());
    Plan plan(lowered_at(algorithm, rank, ranks), send.data(), first.data(), comm.get());
    plan.run();
    EXPECT_EQ(first, expected) << algorithm;
    const std::vector<std::byte> own(expected.size(), static_cast<std::byte>(100 + rank));
    first = own;
    std::vector<std::byte> second(expected.size());
    plan.bind(lowered_at("ring", rank, ranks), send.data(), second.data());
    plan.run();
    EXPECT_EQ(second, expected) << algorithm;
    plan.begin();
    plan.finish();
    EXPECT_EQ(first, own) << algorithm;
  }
}

}  // namespace
}  // namespace gatherbench::mpi
