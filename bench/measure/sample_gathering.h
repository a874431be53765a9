// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bench/conditions/arrival_injection.h"
#include "bench/measure/case_result.h"
#include "bench/measure/totals.h"
#include "runtime/mpi/global_clock.h"

namespace gatherbench::bench {

/// One rank's one timed call, by its own clock.
struct Sample {
  std::size_t round;  ///< of the batch
  std::size_t call;   ///< of the group in the batch, over all algorithms
  std::int64_t start_ns;
  std::int64_t arrival_ns;
  std::int64_t exit_ns;
  std::int64_t prediction_error_ns;
  std::int64_t helper_ns;
  std::int64_t schedule_ns;
  std::int64_t overlapped_ns;
  std::string_view chosen;                    ///< of a runner that chooses
  std::optional<std::int64_t> write_ns = {};  ///< writing what is sent, before the call
  std::optional<std::int64_t> read_ns = {};   ///< reading the result, after it
  std::optional<std::int64_t> cycle_ns = {};  ///< of the cycles that followed; all ranks or none
};

/// The parts of a sample that a call has beside its times.
struct SampleKind {
  bool computes;  ///< beside the call
  bool predicts;
  bool knows_arrivals;
};

/// Brings what the ranks of a group have timed in a batch of rounds to the lowest of them.
class SampleGathering {
 public:
  /// The delays, the clock and the communicator must outlive it.
  SampleGathering(const Processing& processing, bool record_ranks, const Delays& delays,
                  const mpi::GlobalClock& clock, MPI_Comm group);

  /// Begins a batch of so many calls.
  void begin_batch(std::size_t calls) { exits_ns_.assign(calls, 0); }
  /// Returns the timings on the lowest rank, elsewhere empty ones; `first` is the number of the
  /// batch's first round. Collective over the group, whose ranks have as many samples each.
  Timings gather(std::span<const Sample> samples, SampleKind kind, std::int64_t first);
  /// Adds the periods, from the end of the call before, of whichever algorithm; the first of a
  /// batch has none. Called when all samples of the batch are gathered.
  void add_periods(Timings& timings, std::span<const Sample> samples) const;

 private:
  /// The times of a sample for a rank's file.
  struct OwnTimes {
    std::int64_t elapsed_ns;
    std::int64_t computed_ns;  ///< between the start and the arrival
    std::int64_t achieved_ns;  ///< of that, the delay: what is left without the computation
  };

  [[nodiscard]] OwnTimes own_times(const Sample& sample) const;
  [[nodiscard]] Totals own_totals(const Sample& sample, const OwnTimes& own) const;
  /// `sample` is the lowest rank's.
  [[nodiscard]] formats::Iteration iteration(const Totals& totals, SampleKind kind,
                                             const Sample& sample) const;
  /// Every rank's part in the samples, on the lowest rank, if it is asked for.
  [[nodiscard]] std::vector<formats::RankTimes> gather_ranks(
      std::span<const Sample> samples, const std::vector<OwnTimes>& own) const;

  Processing processing_;
  bool record_ranks_;
  const Delays* delays_;
  const mpi::GlobalClock* clock_;
  MPI_Comm comm_;
  int rank_;
  int ranks_;
  std::vector<std::int64_t> exits_ns_;  // last ones, by call; on the lowest rank
};

}  // namespace gatherbench::bench
