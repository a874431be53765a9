// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>

#include "mpi/rank_model.h"

// One time for all ranks of a communicator.
namespace gatherbench::mpi {

/// Rank 0's steady clock, as each rank can tell it from its own: offset and drift along a binomial
/// tree (log2(p) rounds), as in Hunold and Carpen-Amarie 2018 (HCA). Each rank fits its own clock
/// to its parent's by ping-pongs, of which the fastest of a round counts, and joins the parent's
/// line to its own; so it does not matter how long ago the parent was measured.
class GlobalClock {
 public:
  using Clock = std::function<std::int64_t()>;

  /// Not synchronised: the own clock is the global one, as on a single node.
  GlobalClock() = default;
  /// Collective over `comm`, which must outlive it and have no messages of others meanwhile; takes
  /// 0.1 s, for the drift. `clock` is for tests.
  explicit GlobalClock(MPI_Comm comm, Clock clock = steady_ns);

  /// Whether it is another clock than the own one.
  [[nodiscard]] bool is_synchronised() const { return comm_ != MPI_COMM_NULL; }
  /// Measures again and fits again. Collective; a few milliseconds a round at most.
  void synchronise();

  /// Global time of a reading of the own clock, in nanoseconds, and back.
  [[nodiscard]] std::int64_t global_ns(std::int64_t local_ns) const;
  [[nodiscard]] std::int64_t local_ns(std::int64_t global_ns) const;

  /// How far a rank's global time may be from rank 0's, in nanoseconds, the worst of all ranks, on
  /// every rank: the larger of what the fit had predicted wrongly at the last synchronisation and
  /// of half the fastest round trips up to rank 0, with what the fit missed there. 0 if it never
  /// was synchronised.
  [[nodiscard]] std::int64_t error_ns() const { return error_ns_; }

 private:
  /// From one clock to another; drift in nanoseconds a nanosecond. Clocks of two hosts may be years
  /// apart, which no double holds to the nanosecond: only differences are doubles.
  struct Line {
    std::int64_t origin_ns = 0;
    std::int64_t offset_ns = 0;  // of the other clock at origin_ns
    double drift = 0;

    [[nodiscard]] std::int64_t there(std::int64_t here_ns) const;
    [[nodiscard]] std::int64_t back(std::int64_t there_ns) const;
    /// To where `next` leads from where this one ends.
    [[nodiscard]] Line then(const Line& next) const;
  };
  /// A rank's line to rank 0's clock, and how far off it may be where it was last measured.
  struct Chain {
    Line line;
    std::int64_t bound_ns = 0;
  };
  /// At `local_ns` of the own clock, the parent's showed `local_ns + offset_ns`, give or take half
  /// the round trip.
  struct Point {
    std::int64_t local_ns;
    std::int64_t offset_ns;
    std::int64_t half_trip_ns;
  };

  [[nodiscard]] Point ping(int parent) const;
  void answer(int child) const;
  [[nodiscard]] Line fit() const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  Clock clock_ = steady_ns;
  std::deque<Point> points_;  // the latest ones
  Line line_;                 // to rank 0's clock
  std::int64_t error_ns_ = 0;
};

}  // namespace gatherbench::mpi
