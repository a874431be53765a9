// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/measure.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "bench/measure/step_recorder.h"
#include "bench/measure/work.h"
#include "bench/process/watchdog.h"
#include "bench/samples/gather_groups.h"
#include "bench/samples/lateness.h"
#include "bench/samples/moving_average.h"
#include "bench/samples/sample_gathering.h"
#include "bench/samples/statistics.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

/// What a rank computes beside a call, in pieces of a time or of so many rounds of work.
struct Computation {
  std::int64_t pieces = 0;
  std::int64_t piece_ns = 0;
  std::int64_t rounds = 0;
};

/// One algorithm under one load.
struct Turn {
  std::size_t which;
  std::size_t load;

  bool operator==(const Turn&) const = default;
};

enum class Call {
  warm_up,
  settling,  ///< as a timed one, and not counted
  fitting,   ///< a computation is to last as long as it
  timed,
};

Processing with_all_told(Processing processing, std::span<const Runner> runners) {
  processing.tells_all = std::ranges::any_of(runners, &Runner::foresees);
  return processing;
}

class Measurement {
 public:
  Measurement(std::span<Runner> runners, const MeasureSettings& settings, CheckedBuffers* checked,
              std::mt19937_64& random, mpi::GlobalClock& clock, const GroupComms& comms)
      : runners_(runners),
        settings_(settings),
        checked_(checked),
        random_(&random),
        clock_(&clock),
        comms_(&comms),
        comm_(comms.all()),
        rank_(mpi::rank_of(comm_)),
        ranks_(mpi::size_of(comms.own())),
        synchroniser_(settings.sync, settings.processing.wait, clock, comm_),
        delays_(with_all_told(settings.processing, runners), comms.own()),
        samples_of_group_(settings.processing, settings.record_ranks, delays_, clock, comms.own()),
        half_work_(settings.processing.wait == Wait::work
                       ? rounds_of_work(settings.processing.compute_us / 2, comm_)
                       : 0),
        computed_(runners.size()),
        alone_ns_(runners.size()),
        beside_(runners.size()),
        samples_(runners.size(), std::vector<std::vector<Sample>>(settings.loads.size())),
        measured_(runners.size()) {
    const std::vector<Timings> of_groups(comms.count());
    for (std::size_t which = 0; which < runners.size(); ++which) {
      measured_[which].timings.assign(settings.loads.size(), of_groups);
      for (std::size_t load = 0; load < settings.loads.size(); ++load) {
        order_.push_back({which, load});
      }
    }
  }

  std::vector<Measured> run() {
    clock_->synchronise_if_due();  // preparing may have taken long, and a window needs it
    const std::int64_t start = mpi::steady_ns();
    std::int64_t done = 0;
    while (const std::int64_t rounds = agree(warmup_rounds(done, seconds_since(start)))) {
      run_rounds(done, rounds, false);
      done += rounds;
      round_seconds_ = seconds_since(start) / static_cast<double>(done);
    }
    if (settings_.overlap) fit_computations();
    if (settings_.counters != nullptr) settings_.counters->begin();
    done = 0;
    const std::int64_t timed_start = mpi::steady_ns();
    while (const std::int64_t rounds = agree(timed_rounds(done, seconds_since(start)))) {
      run_rounds(done, rounds, true);
      reduce(done);
      done += rounds;
      round_seconds_ = seconds_since(timed_start) / static_cast<double>(done);
    }
    if (settings_.counters != nullptr) settings_.counters->end();
    record_steps(std::min(done, settings_.recorded_calls));
    mark_all_late();
    if (checks()) {
      for (Measured& measured : measured_) measured.fault = first_text(measured.fault, comm_);
    }
    return std::move(measured_);
  }

 private:
  // Often enough to end in time and to show progress, seldom enough not to matter.
  static constexpr double batch_seconds = 0.2;
  static constexpr double warmup_share = 0.1;
  static constexpr std::int64_t min_for_precision = 10;
  static constexpr std::int64_t fitting_calls = 20;

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

  /// So many rounds or more, of `left`: turns are cut short at the end alone, or for the time.
  [[nodiscard]] std::int64_t in_whole_turns(std::int64_t rounds, std::int64_t left,
                                            double elapsed) const {
    const std::int64_t turn = settings_.turn;
    const std::int64_t whole = std::min((rounds + turn - 1) / turn * turn, left);
    const bool in_time =
        !settings_.max_time ||
        (round_seconds_ > 0 &&
         elapsed + round_seconds_ * static_cast<double>(whole) <= *settings_.max_time);
    return takes_turns() && in_time ? whole : rounds;
  }

  [[nodiscard]] std::int64_t warmup_rounds(std::int64_t done, double elapsed) const {
    const std::int64_t left = settings_.warmup - done;
    if (left <= 0) return 0;
    double seconds = batch_seconds;
    if (settings_.max_time) {
      seconds = std::min(seconds, *settings_.max_time * warmup_share - elapsed);
      if (seconds <= 0 && done > 0) return 0;
    }
    return in_whole_turns(rounds_in(seconds, done, left), left, elapsed);
  }

  [[nodiscard]] std::int64_t timed_rounds(std::int64_t done, double elapsed) {
    const std::int64_t left = settings_.iterations - done;
    if (left <= 0 || (rank_ == 0 && done > 0 && is_precise())) return 0;
    double seconds = batch_seconds;
    if (settings_.max_time) {
      seconds = std::min(seconds, *settings_.max_time - elapsed);
      if (seconds <= 0 && done > 0) return 0;
    }
    return in_whole_turns(rounds_in(seconds, done, left), left, elapsed);
  }

  [[nodiscard]] bool is_precise() {
    if (!settings_.precision) return false;
    mark_all_late();
    return std::ranges::all_of(all_timings(), [&](const Timings* timings) {
      std::vector<double> averages;
      for (const formats::Iteration& one : timings->counted()) averages.push_back(one.avg_us);
      return std::ssize(averages) >= min_for_precision &&
             precise_within(averages, *settings_.precision);
    });
  }

  /// On rank 0, of every algorithm, load and group.
  [[nodiscard]] std::vector<Timings*> all_timings() {
    std::vector<Timings*> all;
    for (Measured& measured : measured_) {
      for (std::vector<Timings>& groups : measured.timings) {
        for (Timings& timings : groups) all.push_back(&timings);
      }
    }
    return all;
  }

  /// Whether the own group runs under a load in a round of the case.
  [[nodiscard]] bool has_turn(const Load& load, std::int64_t round) const {
    return load.every_group ||
           static_cast<std::size_t>(round) % comms_->count() == comms_->number();
  }

  void run_rounds(std::int64_t first, std::int64_t rounds, bool timed) {
    delays_.draw(first, rounds);
    for (std::int64_t begin = 0; begin < rounds; begin += settings_.turn) {
      const std::int64_t end = std::min(begin + settings_.turn, rounds);
      if (is_duet()) {
        settings_.turns->begin_round();
        last_.reset();  // the partner has run
      }
      std::ranges::shuffle(order_, *random_);
      for (const Turn& turn : order_) {
        if (timed) settle(turn, begin);
        for (std::int64_t round = begin; round < end; ++round) {
          if (has_turn(settings_.loads[turn.load], first + round)) {
            run_once(turn, static_cast<std::size_t>(round), timed ? Call::timed : Call::warm_up);
          } else {
            (void)synchroniser_.start();  // with the others, who begin
          }
        }
      }
    }
    // Where groups take turns, they ran different ones last; those that are timed settle in each.
    if (!timed) last_.reset();
  }

  [[nodiscard]] bool is_duet() const {
    return settings_.turns != nullptr && settings_.turns->is_duet();
  }

  /// With another algorithm or load of this job, or with the partner's.
  [[nodiscard]] bool takes_turns() const { return order_.size() > 1 || is_duet(); }

  /// One call of each group that is not counted, where others have run since its last one: the next
  /// one then finds caches and buffers as a call of its own left them.
  void settle(const Turn& turn, std::int64_t round) {
    if (!takes_turns() || last_ == turn) return;
    const bool all_at_once = settings_.loads[turn.load].every_group;
    for (std::size_t group = 0; group < (all_at_once ? 1 : comms_->count()); ++group) {
      if (all_at_once || group == comms_->number()) {
        run_once(turn, static_cast<std::size_t>(round), Call::settling);
      } else {
        (void)synchroniser_.start();
      }
    }
  }

  void make_ready(std::size_t which, std::size_t round, bool check) {
    Runner& runner = runners_[which];
    CallBuffers* const buffers = settings_.buffers;
    if (buffers != nullptr && buffers->next()) {
      runner.use_buffers(buffers->send(), buffers->receive());
    }
    if (runner.foresees()) runner.expect(expected_us(which, round));
    if (check && checked_ != nullptr) checked_->spoil();
    if (buffers != nullptr) buffers->make_ready();
  }

  /// Of timed results, here or by the runners.
  [[nodiscard]] bool checks() const {
    return checked_ != nullptr || std::ranges::any_of(runners_, &Runner::checks);
  }

  void keep_fault(std::size_t which) {
    Measured& measured = measured_[which];
    if (!measured.fault.empty()) return;
    measured.fault =
        comms_->named(checked_ != nullptr ? checked_->fault() : runners_[which].fault());
  }

  void run_once(const Turn& turn, std::size_t round, Call call) {
    const std::size_t which = turn.which;
    const bool check = (call == Call::settling || call == Call::timed) && checks();
    last_ = turn;
    Runner& runner = runners_[which];
    make_ready(which, round, check);
    const mpi::ScopedSettings armed = runner.arm();
    const Load& load = settings_.loads[turn.load];
    if (load.congested) settings_.congestion->begin();
    const Start start = synchroniser_.start();
    Traffic* const traffic = load.traffic ? settings_.traffic : nullptr;
    if (traffic != nullptr) traffic->begin();
    if (settings_.processing.is_any()) process(which, start, round);
    const std::int64_t arrival = mpi::steady_ns();
    if (runner.foresees()) {
      runner.arrived(us(arrival - start.local_ns) - settings_.processing.compute_us - first_us_);
    }
    std::int64_t overlapped = 0;
    if (settings_.overlap) {
      overlapped = run_in_parts(turn);
    } else {
      runner.run();
    }
    const std::int64_t exit = mpi::steady_ns();
    if (traffic != nullptr) traffic->end();
    if (load.congested) settings_.congestion->end();
    Watchdog::beat();
    if (call == Call::settling) {
      ++calls_;  // for what comes behind it
    } else if (call == Call::timed) {
      record(turn, {round, calls_++, start.local_ns, arrival, exit, 0, 0, 0, overlapped,
                    runner.chosen()});
    } else if (call == Call::fitting) {
      alone_ns_[which].push_back(static_cast<double>(exit - arrival));
    }
    if (check) keep_fault(which);
  }

  /// Returns how long was computed between the begin and the end.
  std::int64_t run_in_parts(const Turn& turn) {
    Runner& runner = runners_[turn.which];
    runner.begin();
    std::int64_t computed = 0;
    if (settings_.loads[turn.load].computes) {
      const Computation& beside = beside_[turn.which];
      bool done = false;
      for (std::int64_t piece = 0; piece < beside.pieces; ++piece) {
        const std::int64_t start = mpi::steady_ns();
        if (settings_.processing.wait == Wait::work) {
          work(beside.rounds);
        } else {
          wait_until(start + beside.piece_ns, settings_.processing.wait);
        }
        computed += mpi::steady_ns() - start;
        if (*settings_.overlap > 0 && !done) done = runner.test();
      }
    }
    runner.finish();
    return computed;
  }

  /// Makes them as long as calls alone are now, which find what their own left: warm-up calls may
  /// be few, and cold. The same on all ranks of a group: none would wait for another one's longer
  /// computation.
  void fit_computations() {
    const auto alone = std::ranges::find_if(settings_.loads, &Load::is_call_alone);
    delays_.draw(0, fitting_calls);
    for (std::size_t which = 0; which < runners_.size(); ++which) {
      const Turn turn{which, static_cast<std::size_t>(alone - settings_.loads.begin())};
      settle(turn, 0);
      for (std::size_t round = 0; round < fitting_calls; ++round) {
        run_once(turn, round, Call::fitting);
      }
      double ns = percentile(alone_ns_[which], 50);
      mpi::require(MPI_Allreduce(MPI_IN_PLACE, &ns, 1, MPI_DOUBLE, MPI_SUM, comms_->own()),
                   "MPI_Allreduce");
      Computation& beside = beside_[which];
      beside.pieces = std::max<std::int64_t>(*settings_.overlap, 1);
      const double piece_ns = ns / ranks_ / static_cast<double>(beside.pieces);
      beside.piece_ns = std::llround(piece_ns);
      if (settings_.processing.wait == Wait::work) {
        beside.rounds = rounds_of_work(piece_ns / 1000, comm_);
      }
    }
  }

  /// Of all that have steps which can be told, in turns as the timed calls; there is one group, and
  /// one load. In a duet no turn is given up for it.
  void record_steps(std::int64_t rounds) {
    if (rounds == 0) return;
    std::vector<StepRecorder> recorders;
    for (Runner& runner : runners_) recorders.emplace_back(runner.plan());
    delays_.draw(0, rounds);
    for (std::int64_t begin = 0; begin < rounds; begin += settings_.turn) {
      std::ranges::shuffle(order_, *random_);
      for (const Turn& turn : order_) {
        const std::size_t which = turn.which;
        if (runners_[which].plan() == nullptr) continue;
        settle(turn, begin);
        for (std::int64_t round = begin; round < std::min(begin + settings_.turn, rounds);
             ++round) {
          record_once(which, static_cast<std::size_t>(round), recorders[which]);
        }
      }
    }
    clock_->synchronise_if_due();
    for (std::size_t which = 0; which < runners_.size(); ++which) {
      if (runners_[which].plan() == nullptr) continue;
      measured_[which].timings[0][0].steps = recorders[which].gather(*clock_, comm_);
    }
  }

  void record_once(std::size_t which, std::size_t round, StepRecorder& recorder) {
    make_ready(which, round, checked_ != nullptr);
    const std::span<std::int64_t> marks = recorder.next_call();
    const Start start = synchroniser_.start();
    if (settings_.processing.is_any()) process(which, start, round);
    runners_[which].plan()->run(marks);
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
      mpi::require(MPI_Allgather(&own, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, comms_->own()),
                   "MPI_Allgather");
    }
    first_us_ = std::ranges::min(all);
    for (double& one : all) one -= first_us_;
    return all;
  }

  void record(const Turn& turn, Sample sample) {
    if (const mpi::ArrivalStatistics* const predicted = runners_[turn.which].predicted()) {
      sample.prediction_error_ns = ns(std::abs(predicted->error_us));
      sample.helper_ns = ns(predicted->helper_busy_us);
      sample.schedule_ns = ns(predicted->schedule_us);
    }
    samples_[turn.which][turn.load].push_back(sample);
  }

  /// The same for all algorithms, whether they make use of it or not.
  void process(std::size_t which, const Start& start, std::size_t round) {
    Runner& runner = runners_[which];
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

  /// The samples since the last time, from all ranks to rank 0; `first` is the batch's first round.
  /// The clock comes first: a line that was measured before and after them tells more than one that
  /// foretold them.
  void reduce(std::int64_t first) {
    clock_->synchronise_if_due();
    std::vector<Timings> of_turns;
    samples_of_group_.begin_batch(calls_);
    for (const Turn& turn : turns()) {
      of_turns.push_back(
          samples_of_group_.gather(samples_[turn.which][turn.load], kind(turn), first));
    }
    auto own = of_turns.begin();
    for (const Turn& turn : turns()) {
      std::vector<Sample>& samples = samples_[turn.which][turn.load];
      if (settings_.sync == Sync::none) samples_of_group_.add_periods(*own, samples);
      samples.clear();
      std::vector<Timings> of_groups = gather_groups(std::move(*own++), *comms_);
      for (std::size_t group = 0; rank_ == 0 && group < of_groups.size(); ++group) {
        append(measured_[turn.which].timings[turn.load][group], std::move(of_groups[group]));
      }
    }
    calls_ = 0;
  }

  [[nodiscard]] SampleKind kind(const Turn& turn) const {
    const Runner& runner = runners_[turn.which];
    return {.computes = settings_.loads[turn.load].computes,
            .predicts = runner.predicted() != nullptr,
            .foresees = runner.foresees()};
  }

  /// In the same order on all ranks, whichever they ran in last.
  [[nodiscard]] std::vector<Turn> turns() const {
    std::vector<Turn> sorted = order_;
    std::ranges::sort(sorted, {}, [](const Turn& one) { return std::pair(one.which, one.load); });
    return sorted;
  }

  /// Only a window has a start that can be missed.
  void mark_all_late() {
    if (settings_.sync != Sync::window) return;
    for (Timings* const timings : all_timings()) mark_late(timings->iterations, clock_reading_us_);
  }

  static double us(std::int64_t ns) { return static_cast<double>(ns) / 1000; }
  static std::int64_t ns(double us) { return std::llround(us * 1000); }

  std::span<Runner> runners_;
  MeasureSettings settings_;
  CheckedBuffers* checked_;
  std::mt19937_64* random_;
  mpi::GlobalClock* clock_;
  const GroupComms* comms_;
  MPI_Comm comm_;  // of all groups
  int rank_;       // in it
  int ranks_;      // of the own group
  Synchroniser synchroniser_;
  Delays delays_;
  SampleGathering samples_of_group_;
  std::int64_t half_work_;  // rounds; of a computation that is work
  double round_seconds_ = 0;
  double first_us_ = 0;  // after the start, when the first rank is expected
  std::vector<Turn> order_;
  std::optional<Turn> last_;                   // the same in all groups, which settle together
  std::vector<MovingAverage> computed_;        // by runner: each knows of its own calls alone
  std::size_t calls_ = 0;                      // of the own group, timed, in the batch
  std::vector<std::vector<double>> alone_ns_;  // by runner
  std::vector<Computation> beside_;            // by runner
  double clock_reading_us_ = settings_.sync == Sync::window ? measure_clock_reading_us() : 0;
  std::vector<std::vector<std::vector<Sample>>> samples_;  // [runner][load]
  std::vector<Measured> measured_;                         // by runner
};

}  // namespace

std::vector<Measured> measure(std::span<Runner> runners, const MeasureSettings& settings,
                              CheckedBuffers* checked, std::mt19937_64& random,
                              mpi::GlobalClock& clock, const GroupComms& comms) {
  return Measurement(runners, settings, checked, random, clock, comms).run();
}

}  // namespace gatherbench::bench
