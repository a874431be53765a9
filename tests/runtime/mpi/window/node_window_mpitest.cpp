// SPDX-License-Identifier: BSD-3-Clause
//
// All ranks run on one machine, so the nodes are pretended.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "algorithms/choice/parse_algorithms.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/plan.h"
#include "runtime/mpi/window/node_window.h"
#include "runtime/mpi/window/wait.h"

namespace gatherbench::mpi {
namespace {

using Bytes = std::vector<std::byte>;

/// Sends so many bytes to each rank that the window reaches, all of which have the number of the
/// pair and of the round, and receives as many from each. Returns how many came in wrong.
int exchange(NodeWindow& window, MPI_Comm comm, std::size_t size, int round) {
  const int ranks = size_of(comm);
  const int own = rank_of(comm);
  const auto value = [&](int from, int to) {
    return static_cast<std::byte>(from * ranks + to + round);
  };
  std::vector<Bytes> out;
  std::vector<Bytes> in;
  std::vector<Strided> pieces;
  for (int peer = 0; peer < ranks; ++peer) {
    out.emplace_back(size, value(own, peer));
    in.emplace_back(size);
    pieces.push_back({out.back().data(), size});
    pieces.push_back({in.back().data(), size});
  }
  Copies copies;
  for (int peer = 0; peer < ranks; ++peer) {
    if (!window.reaches(peer)) continue;
    const auto both = std::span(pieces).subspan(2 * static_cast<std::size_t>(peer), 2);
    copies.put(window.to(peer), both.first(1));
    copies.take(window.from(peer), both.last(1));
  }
  wait_for(copies, {}, comm);
  int wrong = 0;
  for (int peer = 0; peer < ranks; ++peer) {
    if (!window.reaches(peer)) continue;
    wrong += in[static_cast<std::size_t>(peer)] == Bytes(size, value(peer, own)) ? 0 : 1;
  }
  return wrong;
}

TEST(NodeWindow, ReachesTheOthersOfTheNode) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  const int own = comm.rank();
  std::vector<int> node;
  for (int rank = 0; rank < comm.size(); ++rank) node.push_back(rank % 2);
  const NodeWindow of_parity(comm.get(), node);
  const NodeWindow of_all(comm.get(), {});
  for (int peer = 0; peer < comm.size(); ++peer) {
    EXPECT_EQ(of_parity.reaches(peer), peer != own && peer % 2 == own % 2);
    EXPECT_EQ(of_all.reaches(peer), peer != own);
  }
}

TEST(NodeWindow, MovesBytesBetweenAllPairs) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  NodeWindow window(comm.get(), {});
  constexpr std::size_t slot = Channel::slot_bytes;
  int round = 0;
  for (const std::size_t size :
       {std::size_t{1}, slot - 1, slot, slot + 1, (Channel::slots + 3) * slot}) {
    EXPECT_EQ(exchange(window, comm.get(), size, ++round), 0) << size;
  }
}

/// The ends of the channels to all ranks that the window reaches.
std::vector<PutEnd*> ends_of(NodeWindow& window, int ranks) {
  std::vector<PutEnd*> ends;
  for (int peer = 0; peer < ranks; ++peer) {
    if (window.reaches(peer)) ends.push_back(&window.to(peer));
  }
  return ends;
}

TEST(NodeWindow, SendsTheSameBytesToAllByWayOfTheStage) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  const int ranks = comm.size();
  if (ranks < 2) return;
  NodeWindow window(comm.get(), {});
  const std::vector<PutEnd*> ends = ends_of(window, ranks);
  const auto value = [&](int from, int round) { return static_cast<std::byte>(from * 16 + round); };
  int round = 0;
  for (const std::size_t size : {Stage::least_for_several, Stage::half_bytes, Stage::half_bytes + 1,
                                 3 * Stage::half_bytes}) {
    ++round;
    Bytes out(size, value(comm.rank(), round));
    std::vector<Bytes> in(static_cast<std::size_t>(ranks), Bytes(size));
    std::vector<Strided> pieces;
    for (Bytes& each : in) pieces.push_back({each.data(), size});
    const std::array<Strided, 1> from{{{out.data(), size}}};
    Copies copies;
    copies.put(ends, from, window.stage());
    for (int peer = 0; peer < ranks; ++peer) {
      if (!window.reaches(peer)) continue;
      copies.take(window.from(peer), std::span(pieces).subspan(static_cast<std::size_t>(peer), 1));
    }
    wait_for(copies, {}, comm.get());
    std::ranges::fill(out, std::byte{255});  // it is the caller's again
    for (int peer = 0; peer < ranks; ++peer) {
      if (!window.reaches(peer)) continue;
      EXPECT_EQ(in[static_cast<std::size_t>(peer)], Bytes(size, value(peer, round))) << size;
    }
  }
}

std::int64_t page_faults() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt;
}

// The first transfers took ten times as long as later ones, so that libagstar dropped a window
// after them. The first window serves to map what else the calls need.
TEST(NodeWindow, ItsSlotsAreMapped) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  std::int64_t faults = 0;
  Bytes out(Channel::slots * Channel::slot_bytes, std::byte{1});
  for (int window_number = 0; window_number < 2; ++window_number) {
    NodeWindow window(comm.get(), {});
    for (int peer = 0; peer < comm.size(); ++peer) {
      if (!window.reaches(peer)) continue;
      const Strided piece{out.data(), out.size()};
      Cursor transfer({&piece, 1});
      const std::int64_t before = page_faults();
      EXPECT_TRUE(window.to(peer).advance(transfer));
      faults = page_faults() - before;
      EXPECT_EQ(transfer.left(), 0U);
    }
  }
  EXPECT_LT(faults, static_cast<std::int64_t>(Channel::slots));
}

TEST(NodeWindow, ItsStageIsMapped) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  if (comm.size() < 2) return;
  Bytes out(Stage::bytes, std::byte{1});
  std::int64_t faults = 0;
  for (int window_number = 0; window_number < 2; ++window_number) {
    NodeWindow window(comm.get(), {});
    const std::vector<PutEnd*> ends = ends_of(window, comm.size());
    const Strided piece{out.data(), out.size()};
    Cursor transfer({&piece, 1});
    const std::int64_t before = page_faults();
    EXPECT_TRUE(window.stage().put(transfer, ends));
    EXPECT_TRUE(window.stage().put(transfer, ends));
    faults = page_faults() - before;
    EXPECT_EQ(transfer.left(), 0U);
  }
  constexpr std::int64_t pages = Stage::bytes / 4096;
  EXPECT_LT(faults, pages / 2);  // sanitizers have some of their own
}

// Each communicator has a window of its own, and calls on both may be on their way.
TEST(NodeWindow, OfTwoCommunicatorsAreApart) {
  const Communicator one = Communicator::duplicate(MPI_COMM_WORLD);
  const Communicator two = Communicator::duplicate(MPI_COMM_WORLD);
  NodeWindow first(one.get(), {});
  NodeWindow second(two.get(), {});
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(exchange(first, one.get(), 100, round), 0);
    EXPECT_EQ(exchange(second, two.get(), 100, round + 50), 0);
  }
}

// Rank 1 says that it has emptied a slot before it has; rank 0 then fills it again, and the wrong
// bytes are seen. Without that, as the last round shows, they are right.
TEST(NodeWindow, AFlagThatIsRaisedTooEarlyIsSeenInTheBytes) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  const int own = comm.rank();
  if (comm.size() < 2) return;
  for (const bool planted : {true, false}) {
    NodeWindow window(comm.get(), {});
    constexpr std::size_t slots = Channel::slots + 1;
    Bytes bytes;
    for (std::size_t i = 0; i < slots; ++i) {
      bytes.insert(bytes.end(), Channel::slot_bytes, static_cast<std::byte>(i + 1));
    }
    Bytes received(bytes.size());
    const std::array<Strided, 1> from{{{bytes.data(), bytes.size()}}};
    const std::array<Strided, 1> to{{{received.data(), received.size()}}};
    Copies copies;
    if (own == 0) copies.put(window.to(1), from);
    if (own == 1) {
      copies.take(window.from(0), to);
      Channel& channel = window.memory_from(0);
      const std::size_t first = planted ? slots : Channel::slots;
      if (planted) channel.taken.store(1);
      while (channel.put.load() < first) std::this_thread::yield();
    }
    wait_for(copies, {}, comm.get());
    EXPECT_EQ(received == bytes, own == 1 && !planted);
    MPI_Barrier(comm.get());
  }
}

/// So many bytes are copied once.
constexpr std::size_t referred = Channel::least_referred + 5;
constexpr std::size_t sent_bytes = 100000;

/// Rank 0 sends sevens from memory that rank 1 reads where it lies, and writes there again when its
/// step has ended. Rank 1 reads in its step or, with `too_early`, says that it has and reads later.
/// What came in there.
Bytes send_from_memory(MPI_Comm comm, bool too_early) {
  const int own = rank_of(comm);
  const NodeMemory memory(sent_bytes, Communicator::of_node(comm));
  NodeWindow window(comm, {}, &memory);
  const std::span<std::byte> bytes = memory.bytes();
  std::ranges::fill(bytes, std::byte{7});
  Bytes received(sent_bytes);
  const std::array<Strided, 1> from{{{bytes.data(), sent_bytes}}};
  const std::array<Strided, 1> to{{{received.data(), sent_bytes}}};
  Copies copies;
  if (own == 0) copies.put(window.to(1), from);
  if (own == 1 && too_early) {
    Channel& channel = window.memory_from(0);
    while (channel.put.load() < 1) std::this_thread::yield();
    channel.taken.store(1);
  } else if (own == 1) {
    copies.take(window.from(0), to);
  }
  wait_for(copies, {}, comm);
  if (own == 0) std::ranges::fill(bytes, std::byte{255});
  MPI_Barrier(comm);
  if (own == 1 && too_early) copies.take(window.from(0), to);
  wait_for(copies, {}, comm);
  return received;
}

TEST(NodeWindow, ABufferThatIsWrittenTooEarlyIsSeenInTheBytes) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  if (comm.size() < 2) return;
  const Bytes right(sent_bytes, std::byte{7});
  const Bytes late = send_from_memory(comm.get(), true);
  const Bytes in_time = send_from_memory(comm.get(), false);
  if (comm.rank() != 1) return;
  EXPECT_NE(late, right);
  EXPECT_EQ(in_time, right);
}

// Nodes are pretended, and not all ranks have the memory: the window reaches those that share it.
TEST(NodeWindow, RefersToMemoryOfAnyOfItsRanks) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  const int own = comm.rank();
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(comm.get(), own % 2, -own, &half);  // in reverse order
  const std::size_t size = static_cast<std::size_t>(own) + referred;
  const NodeMemory memory(static_cast<std::int64_t>(size), Communicator(half));
  EXPECT_EQ(memory.bytes().size(), size);
  NodeWindow window(comm.get(), {}, &memory);
  std::ranges::fill(memory.bytes(), static_cast<std::byte>(own));
  std::vector<Bytes> in(static_cast<std::size_t>(comm.size()), Bytes(referred));
  const std::array<Strided, 1> from{{{memory.bytes().data() + own, referred}}};
  std::vector<std::array<Strided, 1>> to;
  for (Bytes& each : in) to.push_back({{{each.data(), each.size()}}});
  Copies copies;
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (!window.reaches(peer)) continue;
    copies.put(window.to(peer), from);
    copies.take(window.from(peer), to[static_cast<std::size_t>(peer)]);
  }
  wait_for(copies, {}, comm.get());
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (!window.reaches(peer)) continue;
    EXPECT_EQ(in[static_cast<std::size_t>(peer)], Bytes(referred, static_cast<std::byte>(peer)));
    EXPECT_EQ(window.memory_from(peer).held[0] == Held::lent, peer % 2 == own % 2);
  }
  MPI_Barrier(comm.get());
}

// The ring sends its own block from the send buffer, and all others from the receive buffer.
TEST(NodeWindow, APlanRefersToBothOfItsBuffers) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  const int ranks = comm.size();
  if (ranks < 2) return;
  const auto p = static_cast<std::size_t>(ranks);
  constexpr std::size_t block = referred;
  const algorithms::Choice choice = algorithms::parse_algorithms("-a", "ring:via=window").front();
  algorithms::Problem problem = algorithms::problem_for(choice, ranks);
  problem.rank = comm.rank();
  const std::vector<std::int64_t> block_bytes(p, block);
  problem.block_bytes = block_bytes;
  const LoweredSchedule lowered(
      algorithms::make_schedule(*choice.algorithm, problem), Layout(block_bytes),
      collectives::part_of(collectives::allgather, problem.rank, ranks), false,
      algorithms::form_of(choice, algorithms::Noncontiguous::pipelined));
  for (const bool in_window : {true, false}) {
    constexpr auto block_size = static_cast<std::int64_t>(block);
    const NodeMemory memory((ranks + 1) * block_size, Communicator::of_node(comm.get()));
    Bytes elsewhere(in_window ? 0 : (p + 1) * block);
    const std::span<std::byte> buffers = in_window ? memory.bytes() : std::span(elsewhere);
    const std::span<std::byte> send = buffers.first(block);
    const std::span<std::byte> receive = buffers.subspan(block);
    std::ranges::fill(send, static_cast<std::byte>(problem.rank + 1));
    auto window = make_window(choice.via, comm.get(), {}, &memory);
    const Channel& channel = window->memory_from((problem.rank + ranks - 1) % ranks);
    Plan plan(lowered, send.data(), receive.data(), comm.get(), Memory::own, {}, std::move(window));
    plan.run();
    for (std::size_t rank = 0; rank < p; ++rank) {
      const Bytes expected(block, static_cast<std::byte>(rank + 1));
      EXPECT_TRUE(std::ranges::equal(receive.subspan(rank * block, block), expected)) << rank;
    }
    const std::size_t used = std::min(p - 1, Channel::slots);
    EXPECT_EQ(std::ranges::count(channel.held, Held::lent), in_window ? used : 0);
  }
}

// Open MPI fails on one rank, without a look before, and the others wait for it.
TEST(NodeMemory, OfMoreThanIsFreeFailsOnAllRanks) {
  const std::optional<std::int64_t> free = NodeMemory::free_bytes();
  if (!free) return;
  EXPECT_THROW(NodeMemory(*free, Communicator::of_node(MPI_COMM_WORLD)), MpiError);
}

TEST(NodeWindow, WaitsForMessagesBesideCopies) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  const int ranks = comm.size();
  const int next = (comm.rank() + 1) % ranks;
  const int last = (comm.rank() + ranks - 1) % ranks;
  NodeWindow window(comm.get(), {});
  // The size is more than a library sends before its receiver is there.
  constexpr int size = 1 << 20;
  std::vector<char> out(size, static_cast<char>(comm.rank()));
  std::vector<char> in(size);
  std::array<MPI_Request, 2> requests{};
  MPI_Irecv(in.data(), size, MPI_CHAR, last, 0, comm.get(), requests.data());
  MPI_Isend(out.data(), size, MPI_CHAR, next, 0, comm.get(), requests.data() + 1);
  std::byte sent{5};
  std::byte received{};
  const std::array<Strided, 1> from{{{&sent, 1}}};
  const std::array<Strided, 1> to{{{&received, 1}}};
  Copies copies;
  if (ranks > 1) {
    copies.put(window.to(next), from);
    copies.take(window.from(last), to);
  }
  wait_for(copies, requests, comm.get());
  EXPECT_EQ(in, std::vector<char>(size, static_cast<char>(last)));
  EXPECT_EQ(received, ranks > 1 ? sent : std::byte{});
}

}  // namespace
}  // namespace gatherbench::mpi
