// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/cache_line.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

constexpr std::int64_t meeting_ns = 300'000;  // the two may leave a barrier so far apart
constexpr std::int64_t passing_ns = 60'000;
constexpr int trips = 8;  // between two readings of the clock
constexpr std::size_t most_batches = 40;
constexpr std::uint64_t trip_numbers = std::uint64_t{1} << 32;  // of the trips of a measurement

/// Waits until the condition holds, and says whether it does in time. It looks at the clock now and
/// then only, since a reading takes as long as a line may.
template <typename Condition>
bool wait_until(std::int64_t end_ns, Condition holds) {
  constexpr int looks = 512;
  do {
    for (int look = 0; look < looks; ++look) {
      if (holds()) return true;
    }
  } while (mpi::steady_ns() < end_ns);
  return false;
}

}  // namespace

/// The memory that a pair shares. Each number has one writer and only grows, from one measurement
/// to the next too. It has two lines to itself, since processors fetch lines in pairs.
struct CacheLineProbe::Lines {
  static constexpr std::size_t apart = 128;
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "else it is no memory to share");

  alignas(apart) std::atomic<std::uint64_t> there{0};
  alignas(apart) std::atomic<std::uint64_t> back{0};
  alignas(apart) std::atomic<std::uint64_t> ended{0};  ///< the number of the last measurement
};

CacheLineProbe::CacheLineProbe(MPI_Comm world, bool share_processors, Limits limits)
    : limits_(limits), share_processors_(share_processors) {
  if (mpi::rank_model().one_process) return;
  world_ = mpi::Communicator::duplicate(world);
  is_lowest_ = world_.rank() == 0;
  mpi::Communicator node = mpi::Communicator::of_node(world);
  const int pairs = node.size() / 2;
  const std::size_t bytes = sizeof(Lines) * static_cast<std::size_t>(pairs) +
                            sizeof(std::atomic<int>) * static_cast<std::size_t>(node.size());
  if (pairs > 0) {
    try {
      const auto own = static_cast<std::int64_t>(node.rank() == 0 ? bytes : 0);
      memory_ = std::make_unique<const mpi::NodeMemory>(own, std::move(node));
    } catch (const mpi::MpiError&) {  // no rank of the node has memory to share
      memory_ = nullptr;              // so nothing is measured there
    }
  }
  if (memory_ != nullptr) {
    make_lines();
    if (!share_processors) choose_part();
  }
  int measures = memory_ != nullptr ? 1 : 0;
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, &measures, 1, MPI_INT, MPI_MAX, world_.get()),
               "MPI_Allreduce");
  measures_ = measures != 0;
}

void CacheLineProbe::choose_part() {
  const int rank = mpi::rank_of(memory_->node());
  pair_ = rank / 2;
  if (pair_ < mpi::size_of(memory_->node()) / 2) {
    part_ = rank % 2 == 0 ? Part::leads : Part::follows;
  }
}

/// Chooses two ranks that have just run on different processors: two that share one would measure
/// how they change places there. All ranks of the node choose the same ones, since none of them
/// writes its processor again before the measurement has ended.
void CacheLineProbe::choose_pair_by_processors() {
  const int rank = mpi::rank_of(memory_->node());
  const int ranks = mpi::size_of(memory_->node());
  const int first = processor_of(0).load(std::memory_order_acquire);
  int second = 1;
  while (second < ranks && processor_of(second).load(std::memory_order_acquire) == first) ++second;
  if (second == ranks) {
    part_ = Part::waits;  // nobody leads
  } else {
    part_ = rank == 0 ? Part::leads : rank == second ? Part::follows : Part::sleeps;
  }
}

void CacheLineProbe::make_lines() {
  const int pairs = mpi::size_of(memory_->node()) / 2;
  if (mpi::rank_of(memory_->node()) == 0) {
    std::byte* place = memory_->bytes().data();
    for (int pair = 0; pair < pairs; ++pair, place += sizeof(Lines)) new (place) Lines{};
    const int ranks = mpi::size_of(memory_->node());
    for (int i = 0; i < ranks; ++i, place += sizeof(std::atomic<int>)) {
      new (place) std::atomic<int>{0};
    }
  }
  mpi::require(MPI_Barrier(memory_->node()), "MPI_Barrier");
}

CacheLineProbe::Lines& CacheLineProbe::lines(int pair) const {
  std::byte* const place = memory_->of(0) + static_cast<std::size_t>(pair) * sizeof(Lines);
  return *std::launder(reinterpret_cast<Lines*>(place));
}

std::atomic<int>& CacheLineProbe::processor_of(int rank) const {
  const auto pairs = static_cast<std::size_t>(mpi::size_of(memory_->node()) / 2);
  std::byte* const place = memory_->of(0) + pairs * sizeof(Lines) +
                           static_cast<std::size_t>(rank) * sizeof(std::atomic<int>);
  return *std::launder(reinterpret_cast<std::atomic<int>*>(place));
}

bool CacheLineProbe::is_due() const {
  return spent_ns_ < limits_.most_ns_in_case &&
         (!measured_ns_ || mpi::steady_ns() - *measured_ns_ >= limits_.fresh_ns);
}

std::optional<double> CacheLineProbe::look() {
  if (!measures_) return std::nullopt;
  int due = is_lowest_ && is_due() ? 1 : 0;
  mpi::require(MPI_Bcast(&due, 1, MPI_INT, 0, world_.get()), "MPI_Bcast");
  if (due == 0) {
    const bool is_fresh = measured_ns_ && mpi::steady_ns() - *measured_ns_ < limits_.fresh_ns;
    return is_fresh ? us_ : std::nullopt;
  }
  const std::int64_t begin_ns = mpi::steady_ns();
  const bool chooses = share_processors_ && memory_ != nullptr;
  if (chooses) {
    processor_of(mpi::rank_of(memory_->node())).store(sched_getcpu(), std::memory_order_release);
  }
  mpi::require(MPI_Barrier(world_.get()), "MPI_Barrier");
  if (chooses) choose_pair_by_processors();
  ++number_;
  double own_us = -1;
  if (part_ == Part::leads) own_us = lead();
  if (part_ == Part::follows) follow();
  if (part_ == Part::sleeps) sleep();
  double slowest_us = -1;
  mpi::require(MPI_Reduce(&own_us, &slowest_us, 1, MPI_DOUBLE, MPI_MAX, 0, world_.get()),
               "MPI_Reduce");
  if (!is_lowest_) return std::nullopt;
  measured_ns_ = mpi::steady_ns();
  spent_ns_ += *measured_ns_ - begin_ns;
  us_ = slowest_us > 0 ? std::optional(slowest_us) : std::nullopt;
  return us_;
}

/// Takes the quartile of the batches of trips: a rank that loses its processor disturbs a few of
/// them.
double CacheLineProbe::lead() const {
  Lines& shared = lines(pair_);
  std::uint64_t trip = number_ * trip_numbers;
  const auto pass = [&](std::int64_t end_ns) {
    shared.there.store(++trip, std::memory_order_release);
    return wait_until(end_ns, [&] { return shared.back.load(std::memory_order_acquire) == trip; });
  };
  std::vector<double> batches_ns;
  batches_ns.reserve(most_batches);
  if (pass(mpi::steady_ns() + meeting_ns)) {
    std::int64_t begin_ns = mpi::steady_ns();
    const std::int64_t end_ns = begin_ns + passing_ns;
    while (batches_ns.size() < most_batches && begin_ns < end_ns) {
      bool is_whole = true;
      for (int i = 0; is_whole && i < trips; ++i) is_whole = pass(end_ns);
      if (!is_whole) break;
      const std::int64_t now_ns = mpi::steady_ns();
      batches_ns.push_back(static_cast<double>(now_ns - begin_ns));
      begin_ns = now_ns;
    }
  }
  shared.there.store(number_ * trip_numbers + trip_numbers - 1, std::memory_order_release);
  shared.ended.store(number_, std::memory_order_release);
  if (batches_ns.empty()) return -1;
  const auto quarter = batches_ns.begin() + std::ssize(batches_ns) / 4;
  std::ranges::nth_element(batches_ns, quarter);
  constexpr double ns_per_us = 1000;
  return *quarter / trips / ns_per_us;
}

void CacheLineProbe::follow() const {
  Lines& shared = lines(pair_);
  const std::int64_t end_ns = mpi::steady_ns() + meeting_ns + passing_ns;
  std::uint64_t seen = number_ * trip_numbers;
  const std::uint64_t last = seen + trip_numbers - 1;
  const auto has_come = [&] { return shared.there.load(std::memory_order_acquire) > seen; };
  while (wait_until(end_ns, has_come)) {
    seen = shared.there.load(std::memory_order_acquire);
    if (seen == last) return;
    shared.back.store(seen, std::memory_order_release);
  }
}

void CacheLineProbe::sleep() const {
  const Lines& shared = lines(pair_);
  const std::int64_t end_ns = mpi::steady_ns() + meeting_ns + passing_ns;
  while (shared.ended.load(std::memory_order_acquire) < number_ && mpi::steady_ns() < end_ns) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

}  // namespace gatherbench::bench
