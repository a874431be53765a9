// SPDX-License-Identifier: BSD-3-Clause
//
// Run by test_trace.py under libagtrace.so: `traced_program SCENARIO [NUMBER]`. Rank r comes late
// by design, so that the tests know what the trace has to say.
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

int rank = 0;
int ranks = 1;

/// Rank r sleeps r times so long before each call.
constexpr useconds_t late_us = 2000;

void gather(MPI_Comm comm, int block) {
  int members = 0;
  MPI_Comm_size(comm, &members);
  std::vector<int> send(static_cast<std::size_t>(block));
  std::vector<int> receive(static_cast<std::size_t>(block * members));
  MPI_Allgather(send.data(), block, MPI_INT, receive.data(), block, MPI_INT, comm);
}

void staggered(int calls) {
  for (int i = 0; i < calls; ++i) {
    usleep(late_us * static_cast<useconds_t>(rank));
    gather(MPI_COMM_WORLD, 4);
  }
}

void burst(int calls) {
  for (int i = 0; i < calls; ++i) gather(MPI_COMM_WORLD, 4);
}

/// Calls of a rank whose files may have so many bytes, as if the disk were full.
void confined(int calls) {
  constexpr rlimit limit{80'000, 80'000};
  setrlimit(RLIMIT_FSIZE, &limit);
  burst(calls);
}

/// Each collective once, with what docs/how-to/trace.md says of its sizes. Rank r's block has
/// r + 1 ints.
void everything() {
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<int> counts(p);
  std::vector<int> places(p);
  int total = 0;
  for (std::size_t i = 0; i < p; ++i) {
    counts[i] = static_cast<int>(i) + 1;
    places[i] = total;
    total += counts[i];
  }
  const int own = rank + 1;
  std::vector<int> same(p, own);
  std::vector<int> same_places(p);
  for (std::size_t i = 0; i < p; ++i) same_places[i] = static_cast<int>(i) * own;
  const std::size_t room = (p + 1) * (p + 1);
  std::vector<int> a(room);
  std::vector<int> b(room);
  const MPI_Comm w = MPI_COMM_WORLD;
  int* const s = a.data();
  int* const r = b.data();
  MPI_Barrier(w);
  MPI_Bcast(s, 3, MPI_INT, 0, w);
  MPI_Allgather(s, 2, MPI_INT, r, 2, MPI_INT, w);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, r, 2, MPI_INT, w);
  MPI_Allgatherv(s, own, MPI_INT, r, counts.data(), places.data(), MPI_INT, w);
  MPI_Allreduce(s, r, 3, MPI_INT, MPI_SUM, w);
  MPI_Reduce(s, r, 3, MPI_INT, MPI_SUM, 0, w);
  MPI_Scan(s, r, 3, MPI_INT, MPI_SUM, w);
  MPI_Exscan(s, r, 3, MPI_INT, MPI_SUM, w);
  MPI_Alltoall(s, 1, MPI_INT, r, 1, MPI_INT, w);
  // To rank i, i + 1 ints; so own of them from each.
  MPI_Alltoallv(s, counts.data(), places.data(), MPI_INT, r, same.data(), same_places.data(),
                MPI_INT, w);
  std::vector<MPI_Datatype> types(p, MPI_INT);
  for (int& place : places) place *= static_cast<int>(sizeof(int));
  for (int& place : same_places) place *= static_cast<int>(sizeof(int));
  MPI_Alltoallw(s, counts.data(), places.data(), types.data(), r, same.data(), same_places.data(),
                types.data(), w);
  for (int& place : places) place /= static_cast<int>(sizeof(int));
  MPI_Gather(s, 2, MPI_INT, r, 2, MPI_INT, 0, w);
  MPI_Gatherv(s, own, MPI_INT, r, counts.data(), places.data(), MPI_INT, 0, w);
  MPI_Scatter(s, 2, MPI_INT, r, 2, MPI_INT, 0, w);
  MPI_Scatterv(s, counts.data(), places.data(), MPI_INT, r, own, MPI_INT, 0, w);
  MPI_Reduce_scatter(s, r, counts.data(), MPI_INT, MPI_SUM, w);
  MPI_Reduce_scatter_block(s, r, 1, MPI_INT, MPI_SUM, w);
}

/// Communicators that come and go, each with calls in the middle of others'.
void communicators() {
  for (int i = 0; i < 20; ++i) {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(half, &copy);
    gather(half, 1);
    gather(copy, 2);
    if (rank % 2 == 0) gather(half, 1);
    gather(MPI_COMM_WORLD, 3);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
  }
}

/// Each thread has a communicator of its own.
void threads(int calls) {
  std::vector<std::thread> workers;
  std::vector<MPI_Comm> comms(4);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (const MPI_Comm comm : comms) {
    workers.emplace_back([comm, calls] {
      for (int i = 0; i < calls; ++i) gather(comm, 4);
    });
  }
  for (std::thread& worker : workers) worker.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

/// An intercommunicator has calls of its own kind, which are not recorded.
void between_groups() {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm bridge = MPI_COMM_NULL;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &bridge);
  MPI_Barrier(bridge);
  gather(half, 1);
  MPI_Comm_free(&bridge);
  MPI_Comm_free(&half);
}

/// Calls that repeat, in a loop of two, from other lines on rank 0, and of blocks of unequal sizes;
/// in the midst of them one that does not repeat.
void alike(int calls) {
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<int> counts(p);
  std::vector<int> places(p);
  for (std::size_t i = 0; i < p; ++i) {
    counts[i] = static_cast<int>(i + i * i);
    places[i] = 1000 * static_cast<int>(i);
  }
  std::vector<int> a(1000);
  std::vector<int> b(1000 * p);
  for (int i = 0; i < calls; ++i) {
    gather(MPI_COMM_WORLD, i == calls / 2 ? 1000 : 4);
    if (i % 2 == 0) {
      MPI_Allreduce(a.data(), b.data(), 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else {
      MPI_Allreduce(a.data(), b.data(), 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) {
      MPI_Gatherv(a.data(), counts[0], MPI_INT, b.data(), counts.data(), places.data(), MPI_INT, 0,
                  MPI_COMM_WORLD);
    } else {
      MPI_Gatherv(a.data(), counts[static_cast<std::size_t>(rank)], MPI_INT, nullptr, nullptr,
                  nullptr, MPI_INT, 0, MPI_COMM_WORLD);
    }
  }
}

/// Nanoseconds that a barrier of one rank takes.
void pace(int calls) {
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; ++i) MPI_Barrier(MPI_COMM_SELF);
    best = std::min(best, (MPI_Wtime() - start) / calls);
  }
  if (rank == 0) std::printf("%.1f\n", best * 1e9);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string scenario = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::atoi(argv[2]) : 5;
  int provided = 0;
  if (scenario == "threads") {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (scenario == "staggered") staggered(number);
  if (scenario == "burst") burst(number);
  if (scenario == "confined") confined(number);
  if (scenario == "everything") everything();
  if (scenario == "communicators") communicators();
  if (scenario == "threads" && provided == MPI_THREAD_MULTIPLE) threads(number);
  if (scenario == "between") between_groups();
  if (scenario == "alike") alike(number);
  if (scenario == "pace") pace(number);
  if (scenario == "abort") {
    staggered(number);
    MPI_Abort(MPI_COMM_WORLD, 3);
    std::_Exit(3);  // MPICH 5's MPI_Abort may return
  }
  if (scenario == "exit") {
    staggered(number);
    std::exit(0);  // NOLINT(concurrency-mt-unsafe): what some programs do
  }
  MPI_Finalize();
  return 0;
}
