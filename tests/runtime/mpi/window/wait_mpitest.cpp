// SPDX-License-Identifier: BSD-3-Clause
//
// While a rank waits for copies the MPI library goes on with what it accepted earlier: whoever
// waits for that may be the one that makes the copies.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "algorithms/choice/parse_algorithms.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/plan.h"
#include "runtime/mpi/window/channel.h"
#include "runtime/mpi/window/node_window.h"
#include "runtime/mpi/window/wait.h"

namespace {

// Called when there was a probe, which found a message or none, and when the library is asked for
// requests.
std::function<void(bool)> at_probe;
std::function<void()> at_test;

}  // namespace

extern "C" int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const int code = PMPI_Iprobe(source, tag, comm, flag, status);
  if (at_probe) at_probe(*flag != 0);
  return code;
}

extern "C" int MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  if (at_test) at_test();
  return PMPI_Testall(count, requests, flag, statuses);
}

namespace gatherbench::mpi {
namespace {

constexpr int many = 10000;  // looks after which the library had its turn long ago

// The peer waits for a message of this rank before it fills the slot.
TEST(Wait, TheLibraryGoesOnWhenAllRequestsAreComplete) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  std::byte sent{7};
  std::byte received{};
  const std::array<Strided, 1> from{{{&sent, 1}}};
  const std::array<Strided, 1> to{{{&received, 1}}};
  Channel channel;
  PutEnd put(channel);
  TakeEnd take(channel);
  Cursor transfer(from);
  Copies copies;
  copies.take(take, to);
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int tests = 0;
  at_probe = [&](bool) { put.advance(transfer); };
  at_test = [&] {
    if (++tests == many) put.advance(transfer);  // else this would wait for ever
  };
  wait_for(copies, requests, comm.get());
  at_probe = nullptr;
  at_test = nullptr;
  EXPECT_EQ(received, sent);
  EXPECT_LT(tests, many);
}

// A probe that finds a message leaves the library where it is.
TEST(Wait, AMessageThatIsThereDoesNotHoldUpTheLibrary) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  const int own = comm.rank();
  const char message = 1;
  char received = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&message, 1, MPI_CHAR, own, 0, comm.get(), &request);
  int there = 0;
  while (there == 0) PMPI_Iprobe(own, 0, comm.get(), &there, MPI_STATUS_IGNORE);
  bool found = true;
  at_probe = [&](bool is_message) { found = is_message; };
  let_library_go_on(comm.get());
  at_probe = nullptr;
  EXPECT_FALSE(found);
  MPI_Recv(&received, 1, MPI_CHAR, own, 0, comm.get(), MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(received, message);
}

// The others begin when the library of rank 0 has had a turn in a test.
TEST(Wait, TheLibraryGoesOnInTestsOfAPlan) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  const int ranks = comm.size();
  if (ranks < 2) return;
  const auto p = static_cast<std::size_t>(ranks);
  constexpr std::size_t block = (Channel::slots + 1) * Channel::slot_bytes;  // more than fits in
  const algorithms::Choice choice = algorithms::parse_algorithms("-a", "ring:via=window").front();
  algorithms::Problem problem = algorithms::problem_for(choice, ranks);
  problem.rank = comm.rank();
  const std::vector<std::int64_t> block_bytes(p, block);
  problem.block_bytes = block_bytes;
  const LoweredSchedule lowered(
      algorithms::make_schedule(*choice.algorithm, problem), Layout(block_bytes),
      collectives::part_of(collectives::allgather, problem.rank, ranks), false,
      algorithms::form_of(choice, algorithms::Noncontiguous::pipelined));
  const std::vector<std::byte> send(block, static_cast<std::byte>(problem.rank + 1));
  std::vector<std::byte> receive(p * block);
  Plan plan(lowered, send.data(), receive.data(), comm.get(), Memory::own, {},
            make_window(choice.via, comm.get(), {}));
  if (problem.rank == 0) {
    bool began = false;
    const auto let_others_begin = [&] {
      for (int rank = 1; !began && rank < ranks; ++rank) {
        MPI_Send(nullptr, 0, MPI_CHAR, rank, 0, MPI_COMM_WORLD);
      }
      began = true;
    };
    at_probe = [&](bool) { let_others_begin(); };
    plan.begin();
    for (int tests = 0; !began && tests < many; ++tests) EXPECT_FALSE(plan.test());
    EXPECT_TRUE(began);
    at_probe = nullptr;
    let_others_begin();
  } else {
    MPI_Recv(nullptr, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    plan.begin();
  }
  plan.finish();
  for (std::size_t rank = 0; rank < p; ++rank) {
    const auto found = std::span(receive).subspan(rank * block, block);
    const std::vector<std::byte> expected(block, static_cast<std::byte>(rank + 1));
    EXPECT_TRUE(std::ranges::equal(found, expected)) << rank;
  }
}

}  // namespace
}  // namespace gatherbench::mpi
