// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>

#include "runtime/mpi/rank_model.h"

// A clock that all ranks of a communicator share.
namespace gatherbench::mpi {

// A straight line that tells one clock's time from another's, and how far off it may be.

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

/// Returns whether all ranks of one host read the same steady clock. In a time namespace, or a
/// container that was restored, a process has another one. The test is by cause and effect: nobody
/// may read less after a collective than another has read before it. Collective. Throws MpiError.
bool share_steady_clock(MPI_Comm comm);

/// Rank 0's steady clock, as each rank can tell it from its own: offset and drift along a binomial
/// tree (log2(p) rounds), as in Hunold and Carpen-Amarie 2018 (HCA). Each rank fits its own clock
/// to its parent's by ping-pongs, of which the fastest of a round counts, and joins the parent's
/// line to its own; so it does not matter how long ago the parent was measured.
class GlobalClock {
 public:
  using Clock = std::function<std::int64_t()>;

  /// Makes a clock that is not synchronised: the own clock is the global one, as on a single node.
  GlobalClock() = default;
  /// Makes a clock that is synchronised. Collective over `comm`, which must outlive it and have no
  /// messages of others meanwhile; takes 0.1 s, for the drift. `clock` is for tests.
  explicit GlobalClock(MPI_Comm comm, Clock clock = steady_ns);

  /// Returns false if the global clock is just the own one.
  [[nodiscard]] bool is_synchronised() const { return comm_ != MPI_COMM_NULL; }
  /// Measures again and fits again. Collective; a pair of ranks takes up to 10 ms, or six round
  /// trips if these take longer.
  void synchronise();
  /// Synchronises again if that is due: after 5 s, and sooner (from 0.1 s on) where it takes no
  /// more than a twentieth of the time. Collective. Times between two fits are best converted after
  /// the second.
  void synchronise_if_due();

  /// Returns the global time of a reading of the own clock, in nanoseconds; local_ns converts back.
  [[nodiscard]] std::int64_t global_ns(std::int64_t local_ns) const;
  [[nodiscard]] std::int64_t local_ns(std::int64_t global_ns) const;

  /// Returns how far any rank's global time may be from rank 0's clock, at most, in nanoseconds,
  /// when that clock shows `global_ns`; the number is the same on every rank. It is half the
  /// fastest round trips up to rank 0, with what the line misses there, and what the drift may be
  /// wrong by in the time to the last synchronisation; it grows with that time. It holds if clocks
  /// drift evenly, but for 0.1 ppm, or as unevenly as the last synchronisation found. It is 0 if
  /// the clock was never synchronised.
  [[nodiscard]] std::int64_t error_ns(std::int64_t global_ns) const;

  /// Returns the end of the last synchronisation, in ns of rank 0's clock; 0: there was none.
  [[nodiscard]] std::int64_t synchronised_ns() const { return last_.end_ns; }

 private:
  /// The last synchronisation, by rank 0's clock, and the worst of all ranks.
  struct Last {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    double bound_ns = 0;
    double drift_error = 0;
  };

  [[nodiscard]] ClockPoint ping(int parent) const;
  void answer(int child) const;
  void join(const ClockPoint& latest, const BoundedLine& above);

  MPI_Comm comm_ = MPI_COMM_NULL;
  Clock clock_ = steady_ns;
  ClockPoints points_;  // of the parent's clock
  BoundedLine own_;     // to rank 0's clock
  Last last_;
};

}  // namespace gatherbench::mpi
