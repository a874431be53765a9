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

/// Returns the lowest rank on another node than rank 0, or 1 if there is none. Collective.
int find_partner_of_rank_0(MPI_Comm comm, int rank, int ranks) {
  int partner = lowest_rank_on_node(comm) == 0 ? ranks : rank;
  require(MPI_Allreduce(MPI_IN_PLACE, &partner, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return partner == ranks ? 1 : partner;
}

/// Messages of one size between this rank and another one, in both directions at the same time.
class Exchanges {
 public:
  Exchanges(std::int64_t bytes, int peer, MPI_Comm comm)
      : bytes_(bytes), peer_(peer), comm_(comm), buffers_(2 * std::max<std::int64_t>(bytes, 1)) {
    if (bytes > max_plain_bytes) {
      large_ = make_large_type(bytes);
      type_ = large_.get();
    }
  }

  /// Makes so many exchanges behind one that is not counted: the peer begins later, by the time of
  /// the message that told it to. Returns the nanoseconds of one exchange.
  std::int64_t run(std::int64_t exchanges) {
    exchange();
    const std::int64_t start = steady_ns();
    for (std::int64_t i = 0; i < exchanges; ++i) exchange();
    return (steady_ns() - start) / exchanges;
  }

 private:
  void exchange() {
    std::byte* const sent = buffers_.data() + (is_odd_ ? bytes_ : 0);
    std::byte* const received = buffers_.data() + (is_odd_ ? 0 : bytes_);
    is_odd_ = !is_odd_;
    require(MPI_Sendrecv(sent, count_, type_, peer_, 0, received, count_, type_, peer_, 0, comm_,
                         MPI_STATUS_IGNORE),
            "MPI_Sendrecv");
  }

  std::int64_t bytes_;
  int peer_;
  MPI_Comm comm_;
  Buffer buffers_;
  Datatype large_;
  MPI_Datatype type_ = MPI_BYTE;
  int count_ = bytes_ > max_plain_bytes ? 1 : static_cast<int>(bytes_);
  bool is_odd_ = false;
};

/// Measures on rank 0, which tells the peer before each batch how many exchanges it has, and 0 at
/// the end. Returns the median time of an exchange, in microseconds.
double lead(Exchanges& exchanges, int peer, MPI_Comm comm) {
  const auto tell = [&](std::int64_t next) {
    require(MPI_Send(&next, 1, MPI_INT64_T, peer, 0, comm), "MPI_Send");
  };
  const std::int64_t begin = steady_ns();
  std::vector<std::int64_t> times;
  std::int64_t next = 1;
  for (int batch = 0; std::ssize(times) < max_batches; ++batch) {
    if (std::ssize(times) >= min_batches && steady_ns() - begin > max_ns) break;
    tell(next);
    const std::int64_t ns = exchanges.run(next);
    if (batch >= warmup) times.push_back(ns);
    next = std::clamp(batch_ns / std::max<std::int64_t>(ns, 1), std::int64_t{1}, max_exchanges);
  }
  tell(0);
  const auto middle = times.begin() + std::ssize(times) / 2;
  std::ranges::nth_element(times, middle);
  return static_cast<double>(*middle) / 1000;
}

void follow(Exchanges& exchanges, MPI_Comm comm) {
  while (true) {
    std::int64_t next = 0;
    require(MPI_Recv(&next, 1, MPI_INT64_T, 0, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
    if (next == 0) return;
    exchanges.run(next);
  }
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
    Exchanges exchanges(bytes, peer, comm);
    if (rank == 0) {
      median = lead(exchanges, peer, comm);
    } else {
      follow(exchanges, comm);
    }
  }
  require(MPI_Bcast(&median, 1, MPI_DOUBLE, 0, comm), "MPI_Bcast");
  return median;
}

}  // namespace gatherbench::mpi
