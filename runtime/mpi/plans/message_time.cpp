// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/message_time.h"

#include <algorithm>
#include <vector>

#include "runtime/mpi/buffers.h"
#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/byte_types.h"

namespace gatherbench::mpi {
namespace {

constexpr int warmup = 3;  // batches
constexpr int min_batches = 5;
constexpr int max_batches = 101;
constexpr std::int64_t max_ns = 300'000'000;
constexpr std::int64_t max_exchanges = 16;  // of a batch
constexpr std::int64_t batch_ns = 1'000'000;

/// The lowest rank on another node than rank 0, or 1. Collective.
int find_partner_of_rank_0(MPI_Comm comm, int rank, int ranks) {
  int partner = lowest_rank_on_node(comm) == 0 ? ranks : rank;
  require(MPI_Allreduce(MPI_IN_PLACE, &partner, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return partner == ranks ? 1 : partner;
}

}  // namespace

double measure_message_us(std::int64_t bytes, MPI_Comm comm) {
  const int rank = rank_of(comm);
  const int ranks = size_of(comm);
  if (ranks == 1) return -1;
  const int partner = find_partner_of_rank_0(comm, rank, ranks);
  double median = 0;
  if (rank == 0 || rank == partner) {
    const int peer = rank == 0 ? partner : 0;
    const Buffer buffers(2 * std::max<std::int64_t>(bytes, 1));
    const bool is_large = bytes > max_plain_bytes;
    const Datatype large = is_large ? make_large_type(bytes) : Datatype();
    const MPI_Datatype type = is_large ? large.get() : MPI_BYTE;
    const int count = is_large ? 1 : static_cast<int>(bytes);
    bool is_odd = false;
    const auto exchange = [&] {
      std::byte* const sent = buffers.data() + (is_odd ? bytes : 0);
      std::byte* const received = buffers.data() + (is_odd ? 0 : bytes);
      is_odd = !is_odd;
      require(MPI_Sendrecv(sent, count, type, peer, 0, received, count, type, peer, 0, comm,
                           MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
    };
    const std::int64_t begin = steady_ns();
    std::vector<std::int64_t> times;
    // Rank 0 says before each batch how long it is; none: there is no other one.
    std::int64_t exchanges = 1;
    for (int batch = 0;; ++batch) {
      if (rank == 0) {
        require(MPI_Send(&exchanges, 1, MPI_INT64_T, peer, 0, comm), "MPI_Send");
      } else {
        require(MPI_Recv(&exchanges, 1, MPI_INT64_T, 0, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
      }
      if (exchanges == 0) break;
      // Not counted: the peer begins it later, by the time of what it was told.
      exchange();
      const std::int64_t start = steady_ns();
      for (std::int64_t i = 0; i < exchanges; ++i) exchange();
      const std::int64_t end = steady_ns();
      if (rank != 0) continue;
      const std::int64_t ns = (end - start) / exchanges;
      if (batch >= warmup) times.push_back(ns);
      const bool is_enough = std::ssize(times) == max_batches ||
                             (std::ssize(times) >= min_batches && end - begin > max_ns);
      exchanges = is_enough ? 0
                            : std::clamp(batch_ns / std::max<std::int64_t>(ns, 1), std::int64_t{1},
                                         max_exchanges);
    }
    if (rank == 0) {
      const auto middle = times.begin() + std::ssize(times) / 2;
      std::ranges::nth_element(times, middle);
      median = static_cast<double>(*middle) / 1000;
    }
  }
  require(MPI_Bcast(&median, 1, MPI_DOUBLE, 0, comm), "MPI_Bcast");
  return median;
}

}  // namespace gatherbench::mpi
