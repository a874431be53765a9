// SPDX-License-Identifier: BSD-3-Clause
// A program that uses MPI_Allgather: it writes its block, gathers, and reads what it got.
// company_program BYTES CALLS prints the median over so many calls of the mean over the ranks of a
// call's time, in microseconds. The ranks meet in a barrier before each, as in the benchmark, and
// as there the first calls are not counted: of long-running programs they are few. It reads word by
// word, as fast as memory allows: where ranks share a core, a rank waits in its call while another
// one on its core still reads. BYTES is a multiple of 8.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = std::atoi(argv[1]);
  if (bytes % 8 != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  const int calls = std::atoi(argv[2]);
  constexpr int warmup = 2000;
  constexpr std::align_val_t page{4096};
  const auto total = static_cast<std::size_t>(bytes) * static_cast<std::size_t>(ranks);
  const std::size_t words = total / sizeof(std::uint64_t);
  auto* const send =
      static_cast<unsigned char*>(::operator new(static_cast<std::size_t>(bytes), page));
  auto* const receive = static_cast<std::uint64_t*>(::operator new(total, page));
  std::vector<double> times;
  volatile std::uint64_t read = 0;
  for (int call = -warmup; call < calls; ++call) {
    std::memset(send, call + rank, static_cast<std::size_t>(bytes));
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    MPI_Allgather(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, MPI_COMM_WORLD);
    const double end = MPI_Wtime();
    if (call >= 0) times.push_back(end - begin);
    read = std::accumulate(receive, receive + words, read);
  }
  std::vector<double> sums(times.size());
  MPI_Reduce(times.data(), sums.data(), calls, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    std::ranges::nth_element(sums, sums.begin() + calls / 2);
    std::printf("%.3f\n", sums[static_cast<std::size_t>(calls / 2)] / ranks * 1e6);
  }
  ::operator delete(send, page);
  ::operator delete(receive, page);
  MPI_Finalize();
}
