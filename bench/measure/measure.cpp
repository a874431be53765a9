// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/measure.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string_view>

#include "bench/measure/lateness.h"
#include "bench/measure/moving_average.h"
#include "bench/measure/statistics.h"
#include "bench/measure/step_recorder.h"
#include "bench/measure/totals.h"
#include "bench/measure/work.h"
#include "bench/process/watchdog.h"
#include "mpi/handles.h"
#include "mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

/// One rank's one timed call, by its own clock.
struct Sample {
  std::int64_t start_ns;
  std::int64_t arrival_ns;
  std::int64_t exit_ns;
  std::int64_t prediction_error_ns;
  std::int64_t helper_ns;
  std::int64_t schedule_ns;
  std::string_view chosen;  ///< of a runner that chooses
};

/// What a rank's file is told of a sample.
struct OwnTimes {
  std::int64_t elapsed_ns;
  std::int64_t computed_ns;  ///< between the start and the arrival
  std::int64_t achieved_ns;  ///< of that, the delay: what is left without the computation
};

Processing with_all_told(Processing processing, std::span<const Runner> group) {
  processing.tells_all = std::ranges::any_of(group, &Runner::foresees);
  return processing;
}

class Measurement {
 public:
  Measurement(std::span<Runner> group, const MeasureSettings& settings, CheckedBuffers* checked,
              std::mt19937_64& random, mpi::GlobalClock& clock, MPI_Comm comm)
      : group_(group),
        settings_(settings),
        checked_(checked),
        random_(&random),
        clock_(&clock),
        comm_(comm),
        rank_(mpi::rank_of(comm)),
        ranks_(mpi::size_of(comm)),
        synchroniser_(settings.sync, settings.processing.wait, clock, comm),
        delays_(with_all_told(settings.processing, group), comm),
        half_work_(settings.processing.wait == Wait::work
                       ? rounds_of_work(settings.processing.compute_us / 2, comm)
                       : 0),
        order_(group.size()),
        computed_(group.size()),
        samples_(group.size()),
        timings_(group.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  std::vector<Timings> run() {
    clock_->synchronise_if_due();  // preparing may have taken long, and a window needs it
    const std::int64_t start = mpi::steady_ns();
    std::int64_t done = 0;
    while (const std::int64_t rounds = agree(warmup_rounds(done, seconds_since(start)))) {
      run_rounds(done, rounds, false);
      done += rounds;
      round_seconds_ = seconds_since(start) / static_cast<double>(done);
    }
    done = 0;
    const std::int64_t timed_start = mpi::steady_ns();
    while (const std::int64_t rounds = agree(timed_rounds(done, seconds_since(start)))) {
      run_rounds(done, rounds, true);
      reduce();
      done += rounds;
      round_seconds_ = seconds_since(timed_start) / static_cast<double>(done);
    }
    record_steps(std::min(done, settings_.recorded_calls));
    mark_all_late();
    if (checked_ != nullptr) {
      for (Timings& timings : timings_) timings.fault = first_text(timings.fault, comm_);
    }
    return std::move(timings_);
  }

 private:
  // Often enough to end in time and to show progress, seldom enough not to matter.
  static constexpr double batch_seconds = 0.2;
  static constexpr double warmup_share = 0.1;
  static constexpr std::int64_t min_for_precision = 10;

  static double seconds_since(std::int64_t start_ns) {
    return static_cast<double>(mpi::steady_ns() - start_ns) / 1e9;
  }

  /// Rank 0's number, on every rank: clocks differ, decisions must not.
  [[nodiscard]] std::int64_t agree(std::int64_t rounds) const {
    mpi::require(MPI_Bcast(&rounds, 1, MPI_INT64_T, 0, comm_), "MPI_Bcast");
    return rounds;
  }

  /// As many rounds as fit into `seconds` by the experience of the `done` ones, at least 1, and at
  /// most as many again, since a few rounds tell little.
  [[nodiscard]] std::int64_t rounds_in(double seconds, std::int64_t done, std::int64_t left) const {
    if (round_seconds_ <= 0 || done == 0) return 1;
    const auto most = static_cast<double>(std::min(left, done));
    return static_cast<std::int64_t>(std::clamp(seconds / round_seconds_, 1.0, most));
  }

  [[nodiscard]] std::int64_t warmup_rounds(std::int64_t done, double elapsed) const {
    const std::int64_t left = settings_.warmup - done;
    if (left <= 0) return 0;
    double seconds = batch_seconds;
    if (settings_.max_time) {
      seconds = std::min(seconds, *settings_.max_time * warmup_share - elapsed);
      if (seconds <= 0 && done > 0) return 0;
    }
    return rounds_in(seconds, done, left);
  }

  [[nodiscard]] std::int64_t timed_rounds(std::int64_t done, double elapsed) {
    const std::int64_t left = settings_.iterations - done;
    if (left <= 0 || (rank_ == 0 && done > 0 && is_precise())) return 0;
    double seconds = batch_seconds;
    if (settings_.max_time) {
      seconds = std::min(seconds, *settings_.max_time - elapsed);
      if (seconds <= 0 && done > 0) return 0;
    }
    return rounds_in(seconds, done, left);
  }

  [[nodiscard]] bool is_precise() {
    if (!settings_.precision) return false;
    mark_all_late();
    return std::ranges::all_of(timings_, [&](const Timings& timings) {
      std::vector<double> averages;
      for (const formats::Iteration& one : timings.counted()) averages.push_back(one.avg_us);
      return std::ssize(averages) >= min_for_precision &&
             precise_within(averages, *settings_.precision);
    });
  }

  void run_rounds(std::int64_t first, std::int64_t rounds, bool timed) {
    delays_.draw(first, rounds);
    for (std::size_t round = 0; round < static_cast<std::size_t>(rounds); ++round) {
      if (settings_.turns != nullptr) settings_.turns->begin_round();
      std::ranges::shuffle(order_, *random_);
      for (const std::size_t which : order_) run_once(which, round, timed);
    }
  }

  void make_ready(std::size_t which, std::size_t round, bool check) {
    Runner& runner = group_[which];
    CallBuffers* const buffers = settings_.buffers;
    if (buffers != nullptr && buffers->next()) {
      runner.use_buffers(buffers->send(), buffers->receive());
    }
    if (runner.foresees()) runner.expect(expected_us(which, round));
    if (check) checked_->spoil();
    if (buffers != nullptr) buffers->make_ready();
  }

  void keep_fault(std::size_t which) {
    if (timings_[which].fault.empty()) timings_[which].fault = checked_->fault();
  }

  void run_once(std::size_t which, std::size_t round, bool timed) {
    const bool check = timed && checked_ != nullptr;
    Runner& runner = group_[which];
    make_ready(which, round, check);
    const mpi::ScopedSettings armed = runner.arm();
    const Start start = synchroniser_.start();
    if (settings_.processing.is_any()) process(which, start, round);
    const std::int64_t arrival = mpi::steady_ns();
    if (runner.foresees()) {
      runner.arrived(us(arrival - start.local_ns) - settings_.processing.compute_us - first_us_);
    }
    runner.run();
    const std::int64_t exit = mpi::steady_ns();
    Watchdog::beat();
    if (timed) record(which, {start.local_ns, arrival, exit, 0, 0, 0, runner.chosen()});
    if (check) keep_fault(which);
  }

  /// Of all that have steps which can be told, in turns as the timed calls. In a duet no turn is
  /// given up for it.
  void record_steps(std::int64_t rounds) {
    if (rounds == 0) return;
    std::vector<StepRecorder> recorders;
    for (Runner& runner : group_) recorders.emplace_back(runner.plan());
    delays_.draw(0, rounds);
    for (std::size_t round = 0; round < static_cast<std::size_t>(rounds); ++round) {
      std::ranges::shuffle(order_, *random_);
      for (const std::size_t which : order_) {
        if (group_[which].plan() != nullptr) record_once(which, round, recorders[which]);
      }
    }
    clock_->synchronise_if_due();
    for (std::size_t which = 0; which < group_.size(); ++which) {
      if (group_[which].plan() == nullptr) continue;
      timings_[which].steps = recorders[which].gather(*clock_, comm_);
    }
  }

  void record_once(std::size_t which, std::size_t round, StepRecorder& recorder) {
    make_ready(which, round, checked_ != nullptr);
    const std::span<std::int64_t> marks = recorder.next_call();
    const Start start = synchroniser_.start();
    if (settings_.processing.is_any()) process(which, start, round);
    group_[which].plan()->run(marks);
    Watchdog::beat();
    if (checked_ != nullptr) keep_fault(which);
  }

  /// When every rank will arrive, from the first one on. Collective.
  std::vector<double> expected_us(std::size_t which, std::size_t round) {
    std::vector<double> all;
    first_us_ = 0;
    if (settings_.processing.prediction.is_of_pattern()) {
      all = delays_.predicted_us_of_all(round);
    } else {
      const std::optional<std::int64_t> mean = computed_[which].ns();
      const double own = mean ? us(*mean) - settings_.processing.compute_us : 0;
      all.resize(static_cast<std::size_t>(ranks_));
      mpi::require(MPI_Allgather(&own, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, comm_),
                   "MPI_Allgather");
    }
    first_us_ = std::ranges::min(all);
    for (double& one : all) one -= first_us_;
    return all;
  }

  void record(std::size_t which, Sample sample) {
    if (const mpi::ArrivalStatistics* const predicted = group_[which].predicted()) {
      sample.prediction_error_ns = ns(std::abs(predicted->error_us));
      sample.helper_ns = ns(predicted->helper_busy_us);
      sample.schedule_ns = ns(predicted->schedule_us);
    }
    samples_[which].push_back(sample);
  }

  /// The same for all algorithms, whether they make use of it or not.
  void process(std::size_t which, const Start& start, std::size_t round) {
    Runner& runner = group_[which];
    MovingAverage& computed = computed_[which];
    const Processing& processing = settings_.processing;
    const std::int64_t compute_ns = ns(processing.compute_us);
    const std::int64_t delay_ns = delays_.own_ns(round);
    const auto half = [&](std::int64_t end_ns) {
      if (processing.wait == Wait::work) {
        work(half_work_);
        end_ns = mpi::steady_ns() + delay_ns / 2;
      }
      wait_until(end_ns, processing.wait);
    };
    runner.processing_start();
    if (const std::optional<std::int64_t> predicted = delays_.predicted_ns(round)) {
      runner.foretell(start.local_ns + compute_ns + *predicted, true);
    }
    const bool averages = processing.prediction.from == arrivals::Predictor::sma;
    const std::optional<std::int64_t> mean = averages ? computed.ns() : std::nullopt;
    if (mean) runner.foretell(start.local_ns + *mean, false);
    half(start.local_ns + (compute_ns + delay_ns) / 2);
    if (processing.prediction.from == arrivals::Predictor::edge) runner.edge(0.5);
    half(start.local_ns + compute_ns + delay_ns);
    runner.processing_end();
    computed.add(mpi::steady_ns() - start.local_ns);
  }

  /// The samples since the last time, from all ranks to rank 0. The clock comes first: a line that
  /// was measured before and after them tells more than one that foretold them.
  void reduce() {
    clock_->synchronise_if_due();
    for (std::size_t which = 0; which < group_.size(); ++which) {
      std::vector<Totals> totals;
      std::vector<OwnTimes> own;
      for (std::size_t i = 0; i < samples_[which].size(); ++i) {
        const Sample& sample = samples_[which][i];
        own.push_back(own_times(sample));
        totals.push_back(own_totals(sample, own.back(), delays_.own_ns(i)));
      }
      reduce_to_rank_0(totals, comm_);
      gather_ranks(which, own);
      if (rank_ == 0) {
        for (std::size_t i = 0; i < totals.size(); ++i) {
          timings_[which].iterations.push_back(iteration(which, totals[i], i));
          timings_[which].iterations.back().chosen = samples_[which][i].chosen;
        }
      }
      samples_[which].clear();
    }
  }

  [[nodiscard]] OwnTimes own_times(const Sample& sample) const {
    const std::int64_t computed = sample.arrival_ns - sample.start_ns;
    return {.elapsed_ns = sample.exit_ns - sample.arrival_ns,
            .computed_ns = computed,
            .achieved_ns = computed - ns(settings_.processing.compute_us)};
  }

  [[nodiscard]] Totals own_totals(const Sample& sample, const OwnTimes& own,
                                  std::int64_t asked_ns) const {
    const std::int64_t arrival = clock_->global_ns(sample.arrival_ns);
    return {.min_elapsed = own.elapsed_ns,
            .max_elapsed = own.elapsed_ns,
            .sum_elapsed = own.elapsed_ns,
            .min_arrival = arrival,
            .max_arrival = arrival,
            .max_exit = clock_->global_ns(sample.exit_ns),
            .min_asked = asked_ns,
            .max_asked_exit = asked_ns + own.elapsed_ns,
            .max_delay_error = std::abs(own.achieved_ns - asked_ns),
            .max_prediction_error = sample.prediction_error_ns,
            .max_helper = sample.helper_ns,
            .max_schedule = sample.schedule_ns,
            .max_behind = own.achieved_ns - asked_ns};
  }

  /// On rank 0, of the iteration `round` of this batch.
  [[nodiscard]] formats::Iteration iteration(std::size_t which, const Totals& totals,
                                             std::size_t round) const {
    formats::Iteration found{.min_us = us(totals.min_elapsed),
                             .avg_us = us(totals.sum_elapsed) / ranks_,
                             .max_us = us(totals.max_elapsed),
                             .run_us = us(totals.max_exit - totals.min_arrival),
                             .imbalance_us = us(totals.max_arrival - totals.min_arrival),
                             .behind_us = us(totals.max_behind),
                             .clock_error_us = us(std::max(clock_->error_ns(totals.min_arrival),
                                                           clock_->error_ns(totals.max_exit)))};
    if (settings_.processing.delays()) {
      found.asked_imbalance_us = us(delays_.imbalance_ns(round));
      found.asked_run_us = us(totals.max_asked_exit - totals.min_asked);
      found.delay_error_us = us(totals.max_delay_error);
    }
    if (group_[which].predicted() != nullptr) {
      found.prediction_error_us = us(totals.max_prediction_error);
      found.helper_us = us(totals.max_helper);
      if (group_[which].foresees()) found.schedule_us = us(totals.max_schedule);
    }
    return found;
  }

  /// Only a window has a start that can be missed.
  void mark_all_late() {
    if (settings_.sync != Sync::window) return;
    for (Timings& timings : timings_) mark_late(timings.iterations, clock_reading_us_);
  }

  static double us(std::int64_t ns) { return static_cast<double>(ns) / 1000; }
  static std::int64_t ns(double us) { return std::llround(us * 1000); }

  /// Every rank's part in the samples, to rank 0, if it is asked for.
  void gather_ranks(std::size_t which, const std::vector<OwnTimes>& own) {
    if (!settings_.record_ranks) return;
    const auto ranks = static_cast<std::size_t>(ranks_);
    std::vector<OwnTimes> all(rank_ == 0 ? own.size() * ranks : 0);
    const auto bytes = static_cast<int>(own.size() * sizeof(OwnTimes));
    mpi::require(MPI_Gather(own.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, comm_),
                 "MPI_Gather");
    for (std::size_t i = 0; rank_ == 0 && i < own.size(); ++i) {
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const OwnTimes& part = all[rank * own.size() + i];
        formats::RankTimes times{.elapsed_us = us(part.elapsed_ns)};
        if (settings_.processing.delays()) {
          times.asked_us = us(delays_.ns(i, rank));
          times.achieved_us = us(part.achieved_ns);
        }
        if (settings_.processing.is_any()) times.computed_us = us(part.computed_ns);
        timings_[which].ranks.push_back(times);
      }
    }
  }

  std::span<Runner> group_;
  MeasureSettings settings_;
  CheckedBuffers* checked_;
  std::mt19937_64* random_;
  mpi::GlobalClock* clock_;
  MPI_Comm comm_;
  int rank_;
  int ranks_;
  Synchroniser synchroniser_;
  Delays delays_;
  std::int64_t half_work_;  // rounds; of a computation that is work
  double round_seconds_ = 0;
  double first_us_ = 0;  // after the start, when the first rank is expected
  std::vector<std::size_t> order_;
  std::vector<MovingAverage> computed_;  // by runner: each knows of its own calls alone
  double clock_reading_us_ = settings_.sync == Sync::window ? measure_clock_reading_us() : 0;
  std::vector<std::vector<Sample>> samples_;
  std::vector<Timings> timings_;
};

}  // namespace

std::vector<Timings> measure(std::span<Runner> group, const MeasureSettings& settings,
                             CheckedBuffers* checked, std::mt19937_64& random,
                             mpi::GlobalClock& clock, MPI_Comm comm) {
  return Measurement(group, settings, checked, random, clock, comm).run();
}

}  // namespace gatherbench::bench
