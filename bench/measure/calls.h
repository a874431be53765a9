// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/conditions/synchroniser.h"
#include "bench/measure/case_settings.h"
#include "bench/measure/delays.h"
#include "bench/measure/moving_average.h"
#include "bench/measure/prepared_call.h"
#include "bench/measure/sample_gathering.h"
#include "bench/measure/step_recorder.h"
#include "bench/plan/groups.h"

namespace gatherbench::bench {

/// Returns how many rounds of a computation's work take this long on rank 0 where nothing disturbs
/// it. Ranks may ask for different times. Collective; takes some milliseconds.
std::int64_t rounds_of_work(double us, MPI_Comm comm);

/// Makes single calls of the algorithms: buffers made ready, ranks synchronised, delayed as the
/// arrival pattern asks, and the call between two readings of the clock. `which` is an algorithm's
/// number, `round` one of the batch that was drawn last. Collective over all groups.
class Calls {
 public:
  /// All arguments must outlive it, and so must the launch and the case.
  Calls(std::span<const std::unique_ptr<PreparedCall>> calls, const CaseSettings& settings,
        const MeasureResources& with, const mpi::GlobalClock& clock, const GroupComms& comms);

  /// Draws the delays of so many rounds from round `first` on.
  void draw(std::int64_t first, std::int64_t rounds) { delays_.draw(first, rounds); }
  [[nodiscard]] const Delays& delays() const { return delays_; }

  /// Makes a timed call. With `check` its result is looked at, where results are checked. The
  /// sample does not have the call's number yet.
  Sample run(std::size_t which, const Load& load, std::size_t round, bool check);
  /// Runs the settings' number of cycles, which write what is sent, call, and read the result, one
  /// after the other without a clock or a barrier between. Returns their mean time in ns. Two
  /// cycles before them do not count. Where results are looked at, the last one is.
  std::int64_t run_cycles(std::size_t which);
  /// Makes a call that records the times of its steps, and checks it; the algorithm has a plan.
  void run_recorded(std::size_t which, std::size_t round, StepRecorder& recorder);
  /// Takes part in the start of a call of other groups while the own group has none.
  void let_others_run() { (void)synchroniser_.start(); }

  /// Sets how long loads that compute do so beside an algorithm's calls, in pieces between which
  /// MPI_Test is called.
  void compute_beside(std::size_t which, double ns);

  /// Returns whether results are checked, here or by the calls themselves; `fault` returns the
  /// first fault that this rank found.
  [[nodiscard]] bool checks() const;
  [[nodiscard]] const std::string& fault(std::size_t which) const {
    return algorithms_[which].fault;
  }

 private:
  /// A computation in pieces, of a time or of so many rounds of work.
  struct Computation {
    std::int64_t pieces = 0;
    std::int64_t piece_ns = 0;
    std::int64_t rounds = 0;
  };

  /// One algorithm: its call, the facets that the call has, and what is known of it so far.
  struct Algorithm {
    explicit Algorithm(PreparedCall& prepared);

    PreparedCall& call;
    Splittable* splittable;
    Predicting* predicting;
    Expecting* expecting;
    SelfChecking* checking;  ///< null too where it does not check each run
    MovingAverage computed = {};
    Computation beside = {};
    std::string fault = {};
  };

  /// Returns how long the rank took to write what it sends; none if it writes nothing before a
  /// call.
  std::optional<std::int64_t> make_ready(Algorithm& algorithm, std::size_t round, bool check);
  void run_cycle(PreparedCall& call) const;
  std::vector<double> expected_us(const Algorithm& algorithm, std::size_t round);
  std::int64_t process(Algorithm& algorithm, const Start& start, std::size_t round);
  void process_half(std::int64_t end_ns, std::int64_t delay_ns) const;
  std::int64_t run_in_parts(Algorithm& algorithm, bool computes);
  void keep_fault(Algorithm& algorithm);

  std::vector<Algorithm> algorithms_;
  CaseSettings settings_;
  const MeasureResources* with_;
  const GroupComms* comms_;
  int ranks_;  // of the own group
  Synchroniser synchroniser_;
  Delays delays_;
  // These copies lie together, since the timed region and the moments before it look at them.
  bool processes_;
  bool in_parts_;
  std::int64_t half_work_;  // rounds; of a computation that is work
  double first_us_ = 0;     // after the start, when the first rank is expected
};

}  // namespace gatherbench::bench
