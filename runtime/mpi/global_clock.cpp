// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/global_clock.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "runtime/mpi/handles.h"

namespace gatherbench::mpi {
namespace {

constexpr int tag = 7;
constexpr int max_pings = 30;
constexpr int min_pings = 6;
// Limit of the time that the pings of a pair of ranks take: with round trips of 1 ms there are 10
// of them, and 1000 ranks are done in 0.1 s.
constexpr std::int64_t max_ns = 10'000'000;
constexpr std::int64_t between_first_points_ns = 80'000'000;
constexpr std::int64_t max_age_ns = 5'000'000'000;
constexpr std::int64_t min_age_ns = 100'000'000;
constexpr std::int64_t max_share = 20;  // of the time: one in so many

template <class Value>
void send(const Value& value, int to, MPI_Comm comm) {
  require(MPI_Send(&value, sizeof value, MPI_BYTE, to, tag, comm), "MPI_Send");
}

template <class Value>
Value receive(int from, MPI_Comm comm) {
  Value value;
  require(MPI_Recv(&value, sizeof value, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  return value;
}

}  // namespace

bool share_steady_clock(MPI_Comm comm) {
  require(MPI_Barrier(comm), "MPI_Barrier");  // so that the next one is short
  std::int64_t latest_ns = steady_ns();
  require(MPI_Allreduce(MPI_IN_PLACE, &latest_ns, 1, MPI_INT64_T, MPI_MAX, comm), "MPI_Allreduce");
  int is_behind = steady_ns() < latest_ns ? 1 : 0;
  require(MPI_Allreduce(MPI_IN_PLACE, &is_behind, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return is_behind == 0;
}

GlobalClock::GlobalClock(MPI_Comm comm, Clock clock) : comm_(comm), clock_(std::move(clock)) {
  synchronise();
  if (size_of(comm_) == 1) return;
  sleep_until(steady_ns() + between_first_points_ns);
  synchronise();
}

std::int64_t GlobalClock::global_ns(std::int64_t local_ns) const {
  return own_.line.there(local_ns);
}

std::int64_t GlobalClock::local_ns(std::int64_t global_ns) const {
  return own_.line.back(global_ns);
}

/// All ranks were measured between the begin and the end.
std::int64_t GlobalClock::error_ns(std::int64_t global_ns) const {
  const std::int64_t away_ns =
      std::max(std::abs(global_ns - last_.begin_ns), std::abs(global_ns - last_.end_ns));
  return std::llround(last_.bound_ns + last_.drift_error * static_cast<double>(away_ns));
}

void GlobalClock::synchronise_if_due() {
  if (comm_ == MPI_COMM_NULL) return;
  int due = 0;
  if (rank_of(comm_) == 0) {
    const std::int64_t age_ns = clock_() - last_.end_ns;
    const std::int64_t cheap_ns = std::max(min_age_ns, max_share * (last_.end_ns - last_.begin_ns));
    due = age_ns >= std::min(cheap_ns, max_age_ns) ? 1 : 0;
  }
  require(MPI_Bcast(&due, 1, MPI_INT, 0, comm_), "MPI_Bcast");
  if (due != 0) synchronise();
}

void GlobalClock::synchronise() {
  if (comm_ == MPI_COMM_NULL) return;
  const int rank = rank_of(comm_);
  const int ranks = size_of(comm_);
  std::array between_ns{clock_(), std::int64_t{0}};
  // The first `half` ranks have their lines in the round of `half`, and answer the next ones.
  for (int half = 1; half < ranks; half *= 2) {
    if (rank < half && rank + half < ranks) {
      answer(rank + half);
      send(own_, rank + half, comm_);
    } else if (half <= rank && rank < 2 * half) {
      const int parent = rank - half;
      const ClockPoint latest = ping(parent);
      join(latest, receive<BoundedLine>(parent, comm_));
    }
  }
  std::array worst{static_cast<double>(own_.bound_ns), own_.drift_error};
  require(MPI_Allreduce(MPI_IN_PLACE, worst.data(), 2, MPI_DOUBLE, MPI_MAX, comm_),
          "MPI_Allreduce");
  between_ns[1] = clock_();
  require(MPI_Bcast(between_ns.data(), 2, MPI_INT64_T, 0, comm_), "MPI_Bcast");
  last_ = {between_ns[0], between_ns[1], worst[0], worst[1]};
}

/// Adds the new point to the own line, and joins that to the parent's. If the line before predicted
/// this point more wrongly than it said, its drift is not constant, and will not be in future.
void GlobalClock::join(const ClockPoint& latest, const BoundedLine& above) {
  const bool was_known = points_.size() > 0;
  points_.add(latest);
  const BoundedLine joined = points_.fit().then(above);
  double unpredicted = 0;
  if (was_known) {
    const std::int64_t missed_ns =
        std::abs(own_.line.there(latest.local_ns) - joined.line.there(latest.local_ns)) -
        own_.error_ns(latest.local_ns) - joined.bound_ns;
    const std::int64_t age_ns = std::max<std::int64_t>(latest.local_ns - own_.line.origin_ns, 1);
    unpredicted = std::max(0.0, static_cast<double>(missed_ns) / static_cast<double>(age_ns));
  }
  own_ = joined;
  own_.drift_error += unpredicted;
}

ClockPoint GlobalClock::ping(int parent) const {
  ClockPoint best{};
  std::int64_t deadline_ns = 0;
  bool more = true;
  for (int pings = 1; more; ++pings) {
    more = pings < min_pings || (pings < max_pings && steady_ns() < deadline_ns);
    const std::int64_t start_ns = clock_();
    send(more, parent, comm_);
    const auto parent_ns = receive<std::int64_t>(parent, comm_);
    const std::int64_t half_trip_ns = (clock_() - start_ns + 1) / 2;
    const std::int64_t middle_ns = start_ns + half_trip_ns;
    if (pings == 1 || half_trip_ns < best.half_trip_ns) {
      best = {middle_ns, parent_ns - middle_ns, half_trip_ns};
    }
    // The first one waits for the parent, and for the connection.
    if (pings == 1) deadline_ns = steady_ns() + max_ns;
  }
  return best;
}

void GlobalClock::answer(int child) const {
  bool more = true;
  while (more) {
    more = receive<bool>(child, comm_);
    send(clock_(), child, comm_);
  }
}

}  // namespace gatherbench::mpi
