// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/window/node_memory.h"

namespace gatherbench::bench {

/// Measures how long a cache line takes from a rank to a neighbour on its node and back, outside of
/// all timed calls: two ranks pass lines of memory that they share to and fro. A machine may have
/// states in which the same call takes another time, and this time tells them apart.
class CacheLineProbe {
 public:
  struct Limits {
    /// No measurement of a case begins after all of its measurements together took so long.
    std::int64_t most_ns_in_case = 1'000'000;
    /// A measurement that is younger than this is used again.
    std::int64_t fresh_ns = 20'000'000;
  };

  /// Chooses who measures. Without `share_processors` the ranks of a node measure in pairs, all at
  /// once; with it one pair of each node measures while the others sleep. Nothing is measured where
  /// no two ranks share memory, or where ranks are simulated. Collective over `world`.
  CacheLineProbe(MPI_Comm world, bool share_processors, Limits limits);

  /// Gives the next case its own time for measurements.
  void begin_case() { spent_ns_ = 0; }
  /// Measures, unless the last measurement is young enough. Returns the time of the slowest pair in
  /// us, on the lowest rank of `world`. Returns none on the other ranks, if no pair of ranks came
  /// to an end, and if the case has spent its time. Collective.
  std::optional<double> look();

 private:
  struct Lines;
  enum class Part { leads, follows, sleeps, waits };

  void make_lines();
  void choose_part();
  void choose_pair_by_processors();
  [[nodiscard]] std::atomic<int>& processor_of(int rank) const;
  [[nodiscard]] Lines& lines(int pair) const;
  [[nodiscard]] bool is_due() const;
  /// Passes the lines as the rank that begins. Returns the time of a round trip in us, and a number
  /// below 0 if the other rank did not answer in time.
  [[nodiscard]] double lead() const;
  void follow() const;
  void sleep() const;

  Limits limits_;
  mpi::Communicator world_;
  bool is_lowest_ = false;
  std::unique_ptr<const mpi::NodeMemory> memory_;  // null: this rank shares none
  bool share_processors_;
  Part part_ = Part::waits;
  int pair_ = 0;           // of the own node
  bool measures_ = false;  // any node; the same on all ranks
  std::uint64_t number_ = 0;
  std::int64_t spent_ns_ = 0;                // of the case; this and the next on the lowest rank
  std::optional<std::int64_t> measured_ns_;  // when
  std::optional<double> us_;
};

}  // namespace gatherbench::bench
