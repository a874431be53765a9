// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/global_clock.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "mpi/handles.h"

namespace gatherbench::mpi {
namespace {

constexpr int tag = 7;
constexpr int most_pings = 30;
constexpr int fewest_pings = 6;
// Of a pair: on a net with round trips of 1 ms it has 10, and 1000 ranks are done in 0.1 s.
constexpr std::int64_t longest_ns = 10'000'000;
constexpr std::int64_t between_first_points_ns = 80'000'000;
constexpr std::size_t most_points = 16;
// What quartz has, before anybody corrects it. Points too near to each other, or trips too slow, to
// tell a drift of this size from none give almost none.
constexpr double usual_drift = 20e-6;

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

GlobalClock::GlobalClock(MPI_Comm comm, Clock clock) : comm_(comm), clock_(std::move(clock)) {
  int ranks = 1;
  require(MPI_Comm_size(comm_, &ranks), "MPI_Comm_size");
  synchronise();
  if (ranks == 1) return;
  const std::int64_t first_error_ns = error_ns_;
  sleep_until(steady_ns() + between_first_points_ns);
  synchronise();
  error_ns_ = std::max(error_ns_, first_error_ns);  // the line stands on both
}

std::int64_t GlobalClock::global_ns(std::int64_t local_ns) const { return line_.there(local_ns); }

std::int64_t GlobalClock::local_ns(std::int64_t global_ns) const { return line_.back(global_ns); }

std::int64_t GlobalClock::Line::there(std::int64_t here_ns) const {
  return here_ns + offset_ns + std::llround(drift * static_cast<double>(here_ns - origin_ns));
}

std::int64_t GlobalClock::Line::back(std::int64_t there_ns) const {
  const std::int64_t undrifted_ns = there_ns - offset_ns;
  const auto since_origin_ns = static_cast<double>(undrifted_ns - origin_ns);
  return undrifted_ns - std::llround(drift / (1 + drift) * since_origin_ns);
}

GlobalClock::Line GlobalClock::Line::then(const Line& next) const {
  const std::int64_t joint_ns = origin_ns + offset_ns;
  return {origin_ns, next.there(joint_ns) - origin_ns, drift + next.drift + drift * next.drift};
}

void GlobalClock::synchronise() {
  if (comm_ == MPI_COMM_NULL) return;
  int rank = 0;
  int ranks = 1;
  require(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
  require(MPI_Comm_size(comm_, &ranks), "MPI_Comm_size");
  Chain chain;
  std::int64_t missed_ns = 0;
  // In the round of `half`, the first `half` ranks have their lines and answer the next ones.
  for (int half = 1; half < ranks; half *= 2) {
    if (rank < half && rank + half < ranks) {
      answer(rank + half);
      send(chain, rank + half, comm_);
    } else if (half <= rank && rank < 2 * half) {
      const int parent = rank - half;
      const bool drift_was_known = points_.size() > 1;
      const Point latest = ping(parent);
      points_.push_back(latest);
      if (points_.size() > most_points) points_.pop_front();
      const auto above = receive<Chain>(parent, comm_);
      const std::int64_t measured_ns = above.line.there(latest.local_ns + latest.offset_ns);
      // Without a drift nothing had been predicted.
      if (drift_was_known) missed_ns = std::abs(line_.there(latest.local_ns) - measured_ns);
      line_ = fit().then(above.line);
      const std::int64_t residual_ns = std::abs(line_.there(latest.local_ns) - measured_ns);
      chain = {line_, above.bound_ns + latest.half_trip_ns + residual_ns};
    }
  }
  error_ns_ = std::max(chain.bound_ns, missed_ns);
  require(MPI_Allreduce(MPI_IN_PLACE, &error_ns_, 1, MPI_INT64_T, MPI_MAX, comm_), "MPI_Allreduce");
}

GlobalClock::Point GlobalClock::ping(int parent) const {
  Point best{};
  std::int64_t deadline_ns = 0;
  bool more = true;
  for (int pings = 1; more; ++pings) {
    more = pings < fewest_pings || (pings < most_pings && steady_ns() < deadline_ns);
    const std::int64_t start_ns = clock_();
    send(more, parent, comm_);
    const auto parent_ns = receive<std::int64_t>(parent, comm_);
    const std::int64_t half_trip_ns = (clock_() - start_ns + 1) / 2;
    const std::int64_t middle_ns = start_ns + half_trip_ns;
    if (pings == 1 || half_trip_ns < best.half_trip_ns) {
      best = {middle_ns, parent_ns - middle_ns, half_trip_ns};
    }
    // The first one waits for the parent, and for the connection.
    if (pings == 1) deadline_ns = steady_ns() + longest_ns;
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

/// Least squares; a point counts by how precisely it is known. The two ways of the fastest trip are
/// more alike than half of it says.
GlobalClock::Line GlobalClock::fit() const {
  const Point& latest = points_.back();
  const auto across = [&](const Point& p) {
    return static_cast<double>(p.local_ns - latest.local_ns);
  };
  const auto up = [&](const Point& p) {
    return static_cast<double>(p.offset_ns - latest.offset_ns);
  };
  const auto weight = [](const Point& p) {
    const double likely_ns = static_cast<double>(p.half_trip_ns) / 4 + 1;
    return 1 / (likely_ns * likely_ns);
  };
  double weights = 0;
  double mean_across = 0;
  double mean_up = 0;
  for (const Point& p : points_) {
    weights += weight(p);
    mean_across += weight(p) * across(p);
    mean_up += weight(p) * up(p);
  }
  mean_across /= weights;
  mean_up /= weights;
  double squares = 0;
  double products = 0;
  for (const Point& p : points_) {
    const double d = across(p) - mean_across;
    squares += weight(p) * d * d;
    products += weight(p) * d * (up(p) - mean_up);
  }
  const double drift = products / (squares + 1 / (usual_drift * usual_drift));
  return {latest.local_ns, latest.offset_ns + std::llround(mean_up - drift * mean_across), drift};
}

}  // namespace gatherbench::mpi
