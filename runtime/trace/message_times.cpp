// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/trace/message_times.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::trace {
namespace {

constexpr int tag = 8;
constexpr int max_bytes = 1 << 22;
constexpr int enough_bytes = 1 << 16;
constexpr int min_trips = 4;
constexpr std::int64_t max_trips = 30;
constexpr std::int64_t max_ns = 8'000'000;  // of a size

/// The next messages that rank 0 announces; a batch of no trips ends them.
struct Batch {
  int size = 0;
  int trips = 0;
};

void answer(std::vector<std::byte>& bytes, MPI_Comm world) {
  for (Batch batch;;) {
    PMPI_Recv(&batch, sizeof batch, MPI_BYTE, 0, tag, world, MPI_STATUS_IGNORE);
    if (batch.trips == 0) return;
    for (int trip = 0; trip < batch.trips; ++trip) {
      PMPI_Recv(bytes.data(), batch.size, MPI_BYTE, 0, tag, world, MPI_STATUS_IGNORE);
      PMPI_Send(bytes.data(), batch.size, MPI_BYTE, 0, tag, world);
    }
  }
}

std::int64_t fastest_trip_ns(std::vector<std::byte>& bytes, Batch batch, int last, MPI_Comm world) {
  std::int64_t fastest_ns = std::numeric_limits<std::int64_t>::max();
  PMPI_Send(&batch, sizeof batch, MPI_BYTE, last, tag, world);
  for (int trip = 0; trip < batch.trips; ++trip) {
    const std::int64_t start_ns = mpi::steady_ns();
    PMPI_Send(bytes.data(), batch.size, MPI_BYTE, last, tag, world);
    PMPI_Recv(bytes.data(), batch.size, MPI_BYTE, last, tag, world, MPI_STATUS_IGNORE);
    fastest_ns = std::min(fastest_ns, mpi::steady_ns() - start_ns);
  }
  return fastest_ns;
}

}  // namespace

std::vector<MessageTime> measure_message_times(MPI_Comm world) {
  const int rank = mpi::rank_of(world);
  const int ranks = mpi::size_of(world);
  std::vector<MessageTime> times;
  if (ranks > 1 && (rank == 0 || rank == ranks - 1)) {
    std::vector<std::byte> bytes(max_bytes);
    if (rank != 0) {
      answer(bytes, world);
      return times;
    }
    constexpr Batch done;
    for (int size = 1; size <= max_bytes; size *= 4) {
      std::int64_t trip_ns = fastest_trip_ns(bytes, {size, min_trips}, ranks - 1, world);
      if (const std::int64_t more = std::min(max_trips, max_ns / (trip_ns + 1)); more > 0) {
        const Batch batch{size, static_cast<int>(more)};
        trip_ns = std::min(trip_ns, fastest_trip_ns(bytes, batch, ranks - 1, world));
      }
      times.push_back({size, trip_ns / 2});
      // From a size on where bytes count more than trips, a straight line is as good as a
      // measurement.
      if (size >= enough_bytes && trip_ns > max_ns) break;
    }
    PMPI_Send(&done, sizeof done, MPI_BYTE, ranks - 1, tag, world);
  }
  return times;
}

}  // namespace gatherbench::trace
