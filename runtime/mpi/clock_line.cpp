// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/clock_line.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

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

/// The two ways of the fastest trip are more alike than half of it says, so weights are of less.
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

}  // namespace gatherbench::mpi
