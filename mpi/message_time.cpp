// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/message_time.h"

#include <algorithm>
#include <vector>

#include "mpi/buffers.h"
#include "mpi/byte_types.h"
#include "mpi/global_clock.h"
#include "mpi/handles.h"

namespace gatherbench::mpi {
namespace {

constexpr int warmup = 3;
constexpr int min_exchanges = 5;
constexpr int max_exchanges = 101;
constexpr std::int64_t max_ns = 300'000'000;

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
    const std::int64_t begin = steady_ns();
    std::vector<std::int64_t> times;
    // Rank 0 says before each exchange whether it is the last one.
    for (int i = 0, last = 0; last == 0; ++i) {
      if (rank == 0) {
        last = i + 1 == max_exchanges ||
               (i + 1 >= warmup + min_exchanges && steady_ns() - begin > max_ns);
        require(MPI_Send(&last, 1, MPI_INT, peer, 0, comm), "MPI_Send");
      } else {
        require(MPI_Recv(&last, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
      }
      std::byte* const sent = buffers.data() + (i % 2 == 0 ? 0 : bytes);
      std::byte* const received = buffers.data() + (i % 2 == 0 ? bytes : 0);
      const std::int64_t start = steady_ns();
      require(MPI_Sendrecv(sent, count, type, peer, 0, received, count, type, peer, 0, comm,
                           MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
      if (i >= warmup) times.push_back(steady_ns() - start);
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
