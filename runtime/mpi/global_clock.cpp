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

constexpr std::size_t max_points = 16;
// Older points tell of a drift that temperature has changed since.
constexpr std::int64_t max_span_ns = 80'000'000'000;
// Quartz drifts by as much before anybody corrects it. Points that are too near to each other, or
// whose trips are too slow, to tell such a drift from none give almost none.
constexpr double usual_drift = 20e-6;
constexpr double max_drift = 500e-6;  // NTP corrects no more
constexpr double drift_wander = 0.1e-6;

double as_double(std::int64_t ns) { return static_cast<double>(ns); }

/// Returns by how much `drift` may be wrong, if these two points are right and the drift is
/// constant.
double drift_error_of(double drift, const ClockPoint& one, const ClockPoint& other) {
  const double apart_ns = as_double(other.local_ns - one.local_ns);
  if (apart_ns <= 0) return max_drift;
  const double slope = as_double(other.offset_ns - one.offset_ns) / apart_ns;
  return std::abs(drift - slope) + as_double(one.half_trip_ns + other.half_trip_ns) / apart_ns;
}

}  // namespace

std::int64_t ClockLine::there(std::int64_t here_ns) const {
  return here_ns + offset_ns + std::llround(drift * as_double(here_ns - origin_ns));
}

std::int64_t ClockLine::back(std::int64_t there_ns) const {
  const std::int64_t undrifted_ns = there_ns - offset_ns;
  const double since_origin_ns = as_double(undrifted_ns - origin_ns);
  return undrifted_ns - std::llround(drift / (1 + drift) * since_origin_ns);
}

ClockLine ClockLine::then(const ClockLine& next) const {
  const std::int64_t joint_ns = origin_ns + offset_ns;
  return {origin_ns, next.there(joint_ns) - origin_ns, drift + next.drift + drift * next.drift};
}

std::int64_t BoundedLine::error_ns(std::int64_t here_ns) const {
  return bound_ns + std::llround(drift_error * std::abs(as_double(here_ns - line.origin_ns)));
}

BoundedLine BoundedLine::then(const BoundedLine& next) const {
  return {line.then(next.line), bound_ns + next.error_ns(line.origin_ns + line.offset_ns),
          drift_error * (1 + std::abs(next.line.drift)) +
              next.drift_error * (1 + std::abs(line.drift) + drift_error)};
}

void ClockPoints::add(const ClockPoint& point) {
  points_.push_back(point);
  while (points_.size() > 2 && point.local_ns - points_.front().local_ns > max_span_ns) {
    points_.pop_front();
  }
  if (points_.size() <= max_points) return;
  // The ends make the line long; of the others the one nearest to its predecessor tells least.
  const auto gap = [](const ClockPoint& one, const ClockPoint& next) {
    return next.local_ns - one.local_ns;
  };
  auto least = points_.begin() + 1;
  for (auto each = least; each + 1 != points_.end(); ++each) {
    if (gap(*(each - 1), *each) < gap(*(least - 1), *least)) least = each;
  }
  points_.erase(least);
}

/// Weighs a point by a likely error of less than half its trip: the two ways of the fastest trip
/// are more alike than that half says.
BoundedLine ClockPoints::fit() const {
  const ClockPoint& latest = points_.back();
  const auto across = [&](const ClockPoint& p) { return as_double(p.local_ns - latest.local_ns); };
  const auto up = [&](const ClockPoint& p) { return as_double(p.offset_ns - latest.offset_ns); };
  const auto weight = [](const ClockPoint& p) {
    const double likely_ns = as_double(p.half_trip_ns) / 4 + 1;
    return 1 / (likely_ns * likely_ns);
  };
  double weights = 0;
  double mean_across = 0;
  double mean_up = 0;
  for (const ClockPoint& p : points_) {
    weights += weight(p);
    mean_across += weight(p) * across(p);
    mean_up += weight(p) * up(p);
  }
  mean_across /= weights;
  mean_up /= weights;
  double squares = 0;
  double products = 0;
  for (const ClockPoint& p : points_) {
    const double d = across(p) - mean_across;
    squares += weight(p) * d * d;
    products += weight(p) * d * (up(p) - mean_up);
  }
  const double drift = products / (squares + 1 / (usual_drift * usual_drift));
  const std::int64_t residual_ns = std::llround(mean_up - drift * mean_across);
  double drift_error = max_drift + std::abs(drift);
  for (auto other = points_.begin(); other != points_.end(); ++other) {
    for (auto one = points_.begin(); one != other; ++one) {
      drift_error = std::min(drift_error, drift_error_of(drift, *one, *other));
    }
  }
  return {{latest.local_ns, latest.offset_ns + residual_ns, drift},
          latest.half_trip_ns + std::abs(residual_ns) + 1,
          drift_error + drift_wander};
}

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

/// Counts the drift from the begin or the end of the last synchronisation, whichever is further
/// away: all ranks were measured between the two.
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
