// SPDX-License-Identifier: BSD-3-Clause
#include "selection/agreement.h"

#include <algorithm>
#include <array>

#include "mpi/handles.h"

namespace gatherbench::selection {
namespace {

void reduce(std::span<std::int64_t> numbers, MPI_Op operation, MPI_Comm comm) {
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()),
                             MPI_INT64_T, operation, comm),
               "MPI_Allreduce");
}

}  // namespace

bool is_good_for(const mpi::GlobalClock& clock, std::int64_t base_ns, std::int64_t shortest_ns) {
  constexpr std::int64_t least_share = 20;
  return clock.error_ns(base_ns) * least_share <= shortest_ns;
}

Agreed agree_on_times(MPI_Comm comm, int ranks, std::span<const Taken> taken, bool one_clock,
                      std::int64_t base_ns, std::int64_t id) {
  std::vector<std::int64_t> sums;
  std::vector<std::int64_t> maxima;
  std::int64_t latest_ns = 0;
  for (const Taken& each : taken) {
    const bool from_last_arrival = one_clock && each.from_last_arrival;
    sums.push_back(each.exit_ns - (from_last_arrival ? base_ns : each.arrival_ns));
    maxima.push_back(from_last_arrival ? each.arrival_ns - base_ns : 0);
    latest_ns = std::max(latest_ns, each.arrival_ns - base_ns);
  }
  maxima.push_back(latest_ns);
  maxima.push_back(id);
  reduce(sums, MPI_SUM, comm);
  reduce(maxima, MPI_MAX, comm);
  Agreed agreed;
  agreed.id = maxima.back();
  agreed.last_arrival_ns = base_ns + maxima[maxima.size() - 2];
  for (std::size_t i = 0; i < sums.size(); ++i) {
    agreed.times_ns.push_back(sums[i] / ranks - maxima[i]);
  }
  return agreed;
}

Trouble agree_on_trouble(MPI_Comm comm, bool own, std::int64_t id) {
  std::array<std::int64_t, 2> maxima{own ? 1 : 0, id};
  reduce(maxima, MPI_MAX, comm);
  return {maxima[0] != 0, maxima[1]};
}

}  // namespace gatherbench::selection
