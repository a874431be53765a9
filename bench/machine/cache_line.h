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

/// How long a cache line takes from a rank to a neighbour on its node and back: by it the states of
/// a machine are told apart, in which the same call takes another time. Ranks of a node pass two
/// lines of memory that they share to and fro, outside of all timed calls.
class CacheLineProbe {
 public:
  struct Limits {
    /// All measurements of a case take no longer, apart from the one that is under way by then.
    std::int64_t most_ns_in_case = 1'000'000;
    /// What was measured within this time is not measured again.
    std::int64_t fresh_ns = 20'000'000;
  };

  /// Where ranks share processors, one pair of ranks of each node measures and the others sleep
  /// meanwhile; else the ranks of a node measure in pairs, all at once. Where no two ranks share
  /// memory, or they are simulated, nothing is measured. Collective over `world`.
  CacheLineProbe(MPI_Comm world, bool share_processors, Limits limits);

  /// From here on the measurements are of another case.
  void begin_case() { spent_ns_ = 0; }
  /// On the lowest rank of `world`, elsewhere nothing: the time in us, of the slowest pair. None if
  /// no pair of ranks came to an end, or if the case has spent its time. Collective.
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
  /// In us; below 0: there is none.
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
