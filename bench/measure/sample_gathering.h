// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "bench/measure/case_result.h"
#include "bench/measure/case_settings.h"
#include "bench/measure/delays.h"
#include "formats/iteration.h"
#include "runtime/mpi/global_clock.h"

namespace gatherbench::bench {

inline double as_us(std::int64_t ns) { return static_cast<double>(ns) / 1000; }
inline std::int64_t as_ns(double us) { return std::llround(us * 1000); }

/// A time that each rank puts into its samples. The compiler finds it by its column's name, and
/// refuses one whose column does not say how it is reduced over the ranks.
class ReducedTime : public formats::IterationTime {
 public:
  // NOLINTNEXTLINE(misc-explicit-constructor)
  consteval ReducedTime(const char* column) : IterationTime(column) {
    if (place() >= formats::reduced_times) throw std::invalid_argument(column);
  }
};

/// The value of a time that a sample does not have.
inline constexpr std::int64_t no_time = std::numeric_limits<std::int64_t>::min();

inline constexpr auto no_times = [] {
  std::array<std::int64_t, formats::reduced_times> times{};
  times.fill(no_time);
  return times;
}();

/// One rank's one timed call, by its own clock. All of a group put in the same kinds of times.
struct Sample {
  std::size_t round;  ///< of the batch
  std::size_t call;   ///< of the group in the batch, over all algorithms
  std::int64_t start_ns;
  std::int64_t computed_ns = 0;  ///< between the start and the arrival, without the delay
  std::int64_t arrival_ns;
  std::int64_t exit_ns;
  std::string_view chosen;  ///< of a call that chooses

  /// Puts in a time of this rank, which the column makes one of the iteration.
  void put(ReducedTime time, std::int64_t ns) { times_ns[time.place()] = ns; }

  /// The times that were put in, in the order of `formats::time_columns`.
  std::array<std::int64_t, formats::reduced_times> times_ns = no_times;
};

/// Brings what the ranks of a group have timed in a batch of rounds to the lowest of them.
class SampleGathering {
 public:
  /// The launch and the case, the delays, the clock and the communicator must outlive it.
  SampleGathering(const CaseSettings& settings, const Delays& delays, const mpi::GlobalClock& clock,
                  MPI_Comm group);

  /// Begins a batch of so many calls.
  void begin_batch(std::size_t calls) { exits_ns_.assign(calls, 0); }
  /// Returns the timings on the lowest rank, elsewhere empty ones; `first` is the number of the
  /// batch's first round. Collective over the group, whose ranks have as many samples each.
  Timings gather(std::span<const Sample> samples, std::int64_t first);
  /// Adds to each iteration its period, from the end of the call before, of whichever algorithm;
  /// the first of a batch has none. All samples of the batch have to be gathered before.
  void add_periods(Timings& timings, std::span<const Sample> samples) const;

 private:
  struct Totals;

  [[nodiscard]] Totals own_totals(const Sample& sample) const;
  [[nodiscard]] formats::RankTimes own_times(const Sample& sample) const;
  /// Returns the iteration of the totals. `sample` is the lowest rank's.
  [[nodiscard]] formats::Iteration iteration(const Totals& totals, const Sample& sample) const;
  /// Returns every rank's part in the samples on the lowest rank, elsewhere nothing; nothing too if
  /// it is not asked for. Collective over the group.
  [[nodiscard]] std::vector<formats::RankTimes> gather_ranks(std::span<const Sample> samples) const;

  CaseSettings settings_;
  const Delays* delays_;
  const mpi::GlobalClock* clock_;
  MPI_Comm comm_;
  int rank_;
  int ranks_;
  std::vector<std::int64_t> exits_ns_;  // last ones, by call; on the lowest rank
};

}  // namespace gatherbench::bench
