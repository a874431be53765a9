// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/arrival_injection.h"

#include <algorithm>
#include <cmath>

#include "mpi/handles.h"

namespace gatherbench::bench {

Delays::Delays(const Processing& processing, MPI_Comm comm) : processing_(processing), comm_(comm) {
  mpi::require(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  mpi::require(MPI_Comm_size(comm_, &ranks_), "MPI_Comm_size");
}

void Delays::draw(std::int64_t first_round, std::int64_t rounds) {
  if (!processing_.delays()) return;
  const auto count = static_cast<std::size_t>(rounds);
  own_.resize(count);
  if (rank_ == 0) all_.resize(count * static_cast<std::size_t>(ranks_));
  for (std::size_t round = 0; rank_ == 0 && round < count; ++round) {
    const std::vector<double> arrivals = arrivals::arrivals_us(
        *processing_.arrival, ranks_, processing_.seed,
        static_cast<std::uint64_t>(first_round) + round, processing_.message_us);
    for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
      all_[rank * count + round] = std::llround(arrivals[rank] * 1000);
    }
  }
  mpi::require(MPI_Scatter(all_.data(), static_cast<int>(rounds), MPI_INT64_T, own_.data(),
                           static_cast<int>(rounds), MPI_INT64_T, 0, comm_),
               "MPI_Scatter");
}

std::int64_t Delays::imbalance_ns(std::size_t round) const {
  std::int64_t least = ns(round, 0);
  std::int64_t most = least;
  for (std::size_t rank = 1; rank < static_cast<std::size_t>(ranks_); ++rank) {
    least = std::min(least, ns(round, rank));
    most = std::max(most, ns(round, rank));
  }
  return most - least;
}

}  // namespace gatherbench::bench
