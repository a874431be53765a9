// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

constexpr std::int64_t rounds_a_try = 100;
constexpr int tries = 50;

/// Returns the time of a round in the fastest try, which nothing disturbed; it has warmed up by
/// then.
double round_ns() {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < tries; ++i) {
    const std::int64_t start = mpi::steady_ns();
    work(rounds_a_try);
    least = std::min(least, static_cast<double>(mpi::steady_ns() - start));
  }
  return std::max(least, 1.0) / rounds_a_try;
}

}  // namespace

void work(std::int64_t rounds) {
  static std::array<double, 1002> a{};
  static const std::array<double, 1002> b{};
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::size_t k = 1; k < 1000; ++k) a[k] = b[k + 1] - a[k - 1] * 2;
    asm volatile("" : : "r"(a.data()) : "memory");  // or the compiler would leave all of it out
  }
}

std::int64_t rounds_of_work(double us, MPI_Comm comm) {
  int rank = 0;
  mpi::require(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  std::int64_t rounds = rank == 0 ? std::llround(us * 1000 / round_ns()) : 0;
  mpi::require(MPI_Bcast(&rounds, 1, MPI_INT64_T, 0, comm), "MPI_Bcast");
  return rounds;
}

}  // namespace gatherbench::bench
