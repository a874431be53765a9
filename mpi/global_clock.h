// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>

// One time for all ranks of a communicator.
namespace gatherbench {

/// This rank's steady clock, in nanoseconds.
std::int64_t steady_ns();

/// Rank 0's steady clock, as each rank can tell it from its own: offset and drift, fitted to
/// measurements by ping-pongs along a binomial tree (log2(p) rounds), as in Hunold and
/// Carpen-Amarie 2018 (HCA) with each round's offset taken from the fastest ping-pongs.
class GlobalClock {
 public:
  using Clock = std::function<std::int64_t()>;

  /// Not synchronised: the own clock is the global one, as on a single node.
  GlobalClock() = default;
  /// Collective over `comm`, which must outlive it. `clock` is for tests.
  explicit GlobalClock(MPI_Comm comm, Clock clock = steady_ns);

  /// Measures again and fits again. Collective.
  void synchronise();

  /// Global time of a reading of the own clock, in nanoseconds, and back.
  [[nodiscard]] std::int64_t global_ns(std::int64_t local_ns) const;
  [[nodiscard]] std::int64_t local_ns(std::int64_t global_ns) const;

  /// How far a rank's global time may be from rank 0's, in nanoseconds, the worst of all ranks, on
  /// every rank: the larger of what the fit had predicted wrongly at the last synchronisation and
  /// of half the fastest round trip. 0 if it never was synchronised.
  [[nodiscard]] std::int64_t error_ns() const { return error_ns_; }

 private:
  /// At `local_ns` of the own clock, the global clock showed `local_ns + offset_ns`.
  struct Point {
    std::int64_t local_ns;
    double offset_ns;
  };
  MPI_Comm comm_ = MPI_COMM_NULL;
  Clock clock_ = steady_ns;
  std::deque<Point> points_;  // the latest ones
  std::int64_t origin_ns_ = 0;
  double offset_ns_ = 0;  // at origin_ns_
  double drift_ = 0;      // nanoseconds a nanosecond
  std::int64_t error_ns_ = 0;
};

}  // namespace gatherbench
