// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

// A straight line that tells one clock's time from another's, and how far off it may be.
namespace gatherbench::mpi {

/// A line from one clock to another, with its drift in nanoseconds a nanosecond. Clocks of two
/// hosts may be years apart, which no double holds to the nanosecond: only differences are doubles.
struct ClockLine {
  std::int64_t origin_ns = 0;
  std::int64_t offset_ns = 0;  ///< of the other clock at origin_ns
  double drift = 0;

  [[nodiscard]] std::int64_t there(std::int64_t here_ns) const;
  [[nodiscard]] std::int64_t back(std::int64_t there_ns) const;
  /// Returns the line from this one's begin to the clock to which `next` leads; `next` begins at
  /// the clock where this one ends.
  [[nodiscard]] ClockLine then(const ClockLine& next) const;
};

/// A reading of two clocks: at `local_ns` of the own clock the other one showed `local_ns +
/// offset_ns`, give or take half the round trip, however much its two ways differ.
struct ClockPoint {
  std::int64_t local_ns;
  std::int64_t offset_ns;
  std::int64_t half_trip_ns;
};

/// A line and how far off it may be: by `bound_ns` at its origin, and by `drift_error` nanoseconds
/// more for each nanosecond before or after it.
struct BoundedLine {
  ClockLine line = {};
  std::int64_t bound_ns = 0;
  double drift_error = 0;

  /// Returns the bound at `here_ns` of the clock that the line begins at.
  [[nodiscard]] std::int64_t error_ns(std::int64_t here_ns) const;
  [[nodiscard]] BoundedLine then(const BoundedLine& next) const;
};

/// The points that a line is fitted to: the latest, and older ones that lie well apart.
class ClockPoints {
 public:
  void add(const ClockPoint& point);
  /// Fits a line by least squares, in which a point counts by how precisely it is known; its origin
  /// is the latest point. There has to be a point. The bound is what the latest point allows. The
  /// drift's error is what the round trips of the best two points allow, if the drift is constant
  /// between them, and 0.1 ppm because it may not be. One point alone tells no drift: the error is
  /// 500 ppm then, which is as much as NTP corrects.
  [[nodiscard]] BoundedLine fit() const;
  [[nodiscard]] std::size_t size() const { return points_.size(); }

 private:
  std::deque<ClockPoint> points_;
};

}  // namespace gatherbench::mpi
