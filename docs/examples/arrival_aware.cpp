// SPDX-License-Identifier: BSD-3-Clause
//
// A program that computes and gathers in turns, whose ranks need unequal time to compute: with the
// all-gather that predicts arrivals, the early ranks' results are on their way before the last rank
// is done. Prints what it gained against the plain ring.
// docs/background/arrival_patterns.md explains.
#include "runtime/mpi/arrival_aware/arrival_aware.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>
#include <vector>

namespace {

using gatherbench::mpi::ArrivalAware;
using std::chrono::milliseconds;

constexpr std::int64_t block_bytes = 4 << 20;
constexpr int rounds = 5;

struct Ranks {
  int own = 0;
  int all = 1;
};

/// Half of what this rank computes in a round: the last rank has the most to do.
void compute_half(const Ranks& ranks) {
  std::this_thread::sleep_for(ranks.own == ranks.all - 1 ? milliseconds(30) : milliseconds(20));
}

/// Mean time that a rank spends in the all-gather, in microseconds.
double mean_us(ArrivalAware& gather, std::vector<char>& results, const Ranks& ranks, bool tells) {
  double sum_us = 0;
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    gather.processing_start();
    compute_half(ranks);
    if (tells) gather.edge(0.5);  // from here on the all-gather writes the others' blocks
    compute_half(ranks);
    std::ranges::fill(results, static_cast<char>(ranks.own + round));
    gather.processing_end();
    const double start = MPI_Wtime();
    gather.run();
    sum_us += (MPI_Wtime() - start) * 1e6;
  }
  double all_us = 0;
  MPI_Allreduce(&sum_us, &all_us, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all_us / rounds / ranks.all;
}

void run(const Ranks& ranks) {
  std::vector<char> results(block_bytes);  // of this rank
  std::vector<char> everything(results.size() * static_cast<std::size_t>(ranks.all));
  const gatherbench::mpi::Layout layout(
      std::vector<std::int64_t>(static_cast<std::size_t>(ranks.all), block_bytes));
  const gatherbench::algorithms::Choice bdr =
      gatherbench::algorithms::choice_of(*gatherbench::algorithms::find_algorithm("bdr"));
  ArrivalAware gather(bdr, layout, reinterpret_cast<const std::byte*>(results.data()),
                      reinterpret_cast<std::byte*>(everything.data()), MPI_COMM_WORLD);

  const double silent_us = mean_us(gather, results, ranks, false);
  const double us = mean_us(gather, results, ranks, true);
  const gatherbench::mpi::ArrivalStatistics& last = gather.last();
  bool right = true;
  for (int rank = 0; rank < ranks.all; ++rank) {
    const auto block = everything.begin() + rank * block_bytes;
    const auto expected = static_cast<char>(rank + rounds - 1);
    right = right && std::count(block, block + block_bytes, expected) == block_bytes;
  }
  if (ranks.own == 0) {
    fmt::print("message {:.0f} us; in the all-gather {:.0f} us, without edge {:.0f} us\n",
               gather.message_us(), us, silent_us);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (ranks.own == ranks.all - 1) {
    fmt::print(
        "the last rank: prediction {:+.0f} us off, {} bytes received while it computed, "
        "helper busy {:.0f} us; {}\n",
        last.error_us, last.background_bytes, last.helper_busy_us,
        right ? "all bytes right" : "WRONG BYTES");
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  Ranks ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks.own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks.all);
  try {
    run(ranks);  // its ArrivalAware is gone before MPI_Finalize
  } catch (const std::exception& error) {
    fmt::print(stderr, "arrival_aware: rank {}: {}\n", ranks.own, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
