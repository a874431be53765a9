// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/synchroniser.h"

#include <algorithm>
#include <array>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

// A start this soon is missed by the agreement's own skew; one later than this wastes time.
constexpr std::int64_t min_notice_ns = 10'000;
constexpr std::int64_t max_notice_ns = 1'000'000'000;

}  // namespace

void wait_until(std::int64_t local_ns, Wait how) {
  if (how == Wait::sleep) mpi::sleep_until(local_ns);
  mpi::spin_until(local_ns);
}

Start Synchroniser::start() {
  switch (how_) {
    case Sync::double_barrier:
      mpi::require(MPI_Barrier(comm_), "MPI_Barrier");
      [[fallthrough]];
    case Sync::barrier:
      mpi::require(MPI_Barrier(comm_), "MPI_Barrier");
      break;
    case Sync::dissemination:
      disseminate();
      break;
    case Sync::window:
      return start_by_clock();
    case Sync::none:
      break;
  }
  return {mpi::steady_ns(), false};
}

/// Runs a barrier by dissemination (Hensgen, Finkel, Manber 1988): in round k a rank tells the one
/// 2^k after it.
void Synchroniser::disseminate() const {
  const int rank = mpi::rank_of(comm_);
  const int ranks = mpi::size_of(comm_);
  for (int distance = 1; distance < ranks; distance *= 2) {
    mpi::require(
        MPI_Sendrecv(nullptr, 0, MPI_BYTE, (rank + distance) % ranks, 0, nullptr, 0, MPI_BYTE,
                     (rank - distance + ranks) % ranks, 0, comm_, MPI_STATUS_IGNORE),
        "MPI_Sendrecv");
  }
}

Start Synchroniser::start_by_clock() {
  // The notice doubles when any rank was late the last time, and shrinks slowly when none was.
  const std::int64_t wanted = missed_ ? notice_ns_ * 2 : notice_ns_ - notice_ns_ / 64;
  std::array latest{clock_->global_ns(mpi::steady_ns()), wanted};
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, latest.data(), 2, MPI_INT64_T, MPI_MAX, comm_),
               "MPI_Allreduce");
  notice_ns_ = std::clamp(latest[1], min_notice_ns, max_notice_ns);
  const std::int64_t start = clock_->local_ns(latest[0] + notice_ns_);
  missed_ = mpi::steady_ns() > start;
  if (!missed_) wait_until(start, wait_);
  return {start, missed_};
}

}  // namespace gatherbench::bench
