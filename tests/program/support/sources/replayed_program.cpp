// SPDX-License-Identifier: BSD-3-Clause
//
// Run by test_replay.py under libagtrace.so: all-gathers of several sizes on communicators whose
// ranks are all, every second one in reverse order, neighbours and single ones, with other
// collectives and computations between them. With REPLAYED_PAIR set, of ranks 0 and 1 alone.
#include <mpi.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

namespace {

int rank = 0;

void gather(MPI_Comm comm, int bytes) {
  int members = 0;
  MPI_Comm_size(comm, &members);
  std::vector<char> send(static_cast<std::size_t>(bytes) + 1);
  std::vector<char> receive(static_cast<std::size_t>(bytes * members) + 1);
  MPI_Allgather(send.data(), bytes, MPI_CHAR, receive.data(), bytes, MPI_CHAR, comm);
}

/// Rank r of the communicator has a block of (r + more) % 4 units.
void gather_unequal(MPI_Comm comm, int unit, int more) {
  int members = 0;
  int own = 0;
  MPI_Comm_size(comm, &members);
  MPI_Comm_rank(comm, &own);
  std::vector<int> counts;
  std::vector<int> places;
  int total = 0;
  for (int i = 0; i < members; ++i) {
    counts.push_back(unit * ((i + more) % 4));
    places.push_back(total);
    total += counts.back();
  }
  std::vector<char> send(static_cast<std::size_t>(4 * unit));
  std::vector<char> receive(static_cast<std::size_t>(total) + 1);
  MPI_Allgatherv(send.data(), counts[static_cast<std::size_t>(own)], MPI_CHAR, receive.data(),
                 counts.data(), places.data(), MPI_CHAR, comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm odd = MPI_COMM_NULL;
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &odd);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  if (std::getenv("REPLAYED_PAIR") != nullptr) {
    if (rank < 2) gather(pair, 64);
    MPI_Finalize();
    return 0;
  }
  for (int i = 0; i < 3; ++i) {
    gather(MPI_COMM_WORLD, 64);
    MPI_Barrier(odd);
    if (rank % 2 == 0) gather(odd, 1000 + i);
    usleep(200U * static_cast<unsigned>(rank));
    gather_unequal(pair, 100, i);
    gather(pair, 8);
    gather_unequal(copy, 16, 1);
    if (rank % 2 == 1) gather_unequal(odd, 24, 0);
    gather(copy, i == 1 ? 4096 : 64);
  }
  MPI_Finalize();
  return 0;
}
