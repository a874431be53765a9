// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

// What one clock tells of another: a straight line, and how far off it may be.
namespace gatherbench::mpi {

/// From one clock to another; drift in nanoseconds a nanosecond. Clocks of two hosts may be years
/// apart, which no double holds to the nanosecond: only differences are doubles.
struct ClockLine {
  std::int64_t origin_ns = 0;
  std::int64_t offset_ns = 0;  ///< of the other clock at origin_ns
  double drift = 0;

  [[nodiscard]] std::int64_t there(std::int64_t here_ns) const;
  [[nodiscard]] std::int64_t back(std::int64_t there_ns) const;
  /// To where `next` leads from where this one ends.
  [[nodiscard]] ClockLine then(const ClockLine& next) const;
};

/// At `local_ns` of the own clock the other one showed `local_ns + offset_ns`, give or take half
/// the round trip, however unlike its two ways were.
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

  /// At `here_ns` of the clock that the line begins at.
  [[nodiscard]] std::int64_t error_ns(std::int64_t here_ns) const;
  [[nodiscard]] BoundedLine then(const BoundedLine& next) const;
};

/// The points that a line is fitted to: the latest, and older ones that lie well apart.
class ClockPoints {
 public:
  void add(const ClockPoint& point);
  /// Least squares, each point by how precisely it is known; the origin is the latest point. At
  /// least one point. The bound is what the latest point allows. The drift's error is what the
  /// round trips of the best two points allow, if the drift is constant between them, and 0.1 ppm
  /// for what it is not. One point tells no drift: it may be 500 ppm then, which is as much as NTP
  /// corrects.
  [[nodiscard]] BoundedLine fit() const;
  [[nodiscard]] std::size_t size() const { return points_.size(); }

 private:
  std::deque<ClockPoint> points_;
};

}  // namespace gatherbench::mpi
