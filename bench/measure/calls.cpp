// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/calls.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "bench/conditions/work.h"
#include "bench/host/watchdog.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

// The watchdog is told of each cycle that takes longer, of which it makes no difference.
constexpr std::int64_t long_cycle_ns = 10'000'000;

double us(std::int64_t ns) { return static_cast<double>(ns) / 1000; }
std::int64_t ns(double us) { return std::llround(us * 1000); }

Processing with_all_told(Processing processing, std::span<const Runner> runners) {
  processing.tells_all = std::ranges::any_of(runners, &Runner::knows_arrivals);
  return processing;
}

}  // namespace

Calls::Calls(std::span<Runner> runners, const MeasureSettings& settings, CheckedBuffers* checked,
             const mpi::GlobalClock& clock, const GroupComms& comms)
    : runners_(runners),
      settings_(&settings),
      checked_(checked),
      comms_(&comms),
      ranks_(mpi::size_of(comms.own())),
      synchroniser_(settings.sync, settings.processing.wait, clock, comms.all()),
      delays_(with_all_told(settings.processing, runners), comms.own()),
      half_work_(settings.processing.wait == Wait::work
                     ? rounds_of_work(settings.processing.compute_us / 2, comms.all())
                     : 0),
      computed_(runners.size()),
      beside_(runners.size()),
      faults_(runners.size()) {}

Sample Calls::run(std::size_t which, const Load& load, std::size_t round, bool check) {
  Runner& runner = runners_[which];
  const std::optional<std::int64_t> write_ns = make_ready(which, round, check);
  const mpi::ScopedSettings armed = runner.arm();
  if (load.congested) settings_->congestion->begin();
  const Start start = synchroniser_.start();
  Traffic* const traffic = load.traffic ? settings_->traffic : nullptr;
  if (traffic != nullptr) traffic->begin();
  if (settings_->processing.is_any()) process(which, start, round);
  const std::int64_t arrival = mpi::steady_ns();
  if (runner.knows_arrivals()) {
    runner.arrived(us(arrival - start.local_ns) - settings_->processing.compute_us - first_us_);
  }
  std::int64_t overlapped = 0;
  if (settings_->overlap) {
    overlapped = run_in_parts(which, load.computes);
  } else {
    runner.run();
  }
  const std::int64_t exit = mpi::steady_ns();
  if (traffic != nullptr) traffic->end();
  if (load.congested) settings_->congestion->end();
  Watchdog::beat();
  Sample sample{round, 0, start.local_ns, arrival, exit, 0, 0, 0, overlapped, runner.chosen()};
  sample.write_ns = write_ns;
  if (settings_->read) {
    const std::int64_t begin = mpi::steady_ns();
    settings_->buffers->read();
    sample.read_ns = mpi::steady_ns() - begin;
  }
  if (const mpi::ArrivalStatistics* const predicted = runner.predicted()) {
    sample.prediction_error_ns = ns(std::abs(predicted->error_us));
    sample.helper_ns = ns(predicted->helper_busy_us);
    sample.schedule_ns = ns(predicted->schedule_us);
  }
  if (check && checks()) keep_fault(which);
  return sample;
}

void Calls::run_cycle(Runner& runner) const {
  settings_->buffers->make_ready(false);
  runner.run();
  settings_->buffers->read();
}

std::int64_t Calls::run_cycles(std::size_t which) {
  constexpr int not_counted = 2;  // the first ones find what timed calls left, which did not read
  Runner& runner = runners_[which];
  if (checked_ != nullptr) checked_->renew();
  const mpi::ScopedSettings armed = runner.arm();
  (void)synchroniser_.start();
  const std::int64_t first = mpi::steady_ns();
  for (int i = 0; i < not_counted; ++i) run_cycle(runner);
  Watchdog::beat();
  const std::int64_t begin = mpi::steady_ns();
  const bool is_long = (begin - first) / not_counted > long_cycle_ns;
  for (std::int64_t i = 0; i < settings_->cycles; ++i) {
    run_cycle(runner);
    if (is_long) Watchdog::beat();
  }
  const std::int64_t end = mpi::steady_ns();
  Watchdog::beat();
  if (checks()) keep_fault(which);
  return (end - begin) / settings_->cycles;
}

void Calls::run_recorded(std::size_t which, std::size_t round, StepRecorder& recorder) {
  (void)make_ready(which, round, checked_ != nullptr);
  const std::span<std::int64_t> marks = recorder.next_call();
  const Start start = synchroniser_.start();
  if (settings_->processing.is_any()) process(which, start, round);
  runners_[which].plan()->run(marks);
  Watchdog::beat();
  if (checked_ != nullptr) keep_fault(which);
}

void Calls::compute_beside(std::size_t which, double whole_ns) {
  Computation& beside = beside_[which];
  beside.pieces = std::max<std::int64_t>(*settings_->overlap, 1);
  const double piece_ns = whole_ns / static_cast<double>(beside.pieces);
  beside.piece_ns = std::llround(piece_ns);
  if (settings_->processing.wait == Wait::work) {
    beside.rounds = rounds_of_work(piece_ns / 1000, comms_->all());
  }
}

bool Calls::checks() const {
  return checked_ != nullptr || std::ranges::any_of(runners_, &Runner::checks);
}

std::optional<std::int64_t> Calls::make_ready(std::size_t which, std::size_t round, bool check) {
  Runner& runner = runners_[which];
  CallBuffers* const buffers = settings_->buffers;
  if (buffers != nullptr && buffers->next()) {
    runner.use_buffers(buffers->send(), buffers->receive());
  }
  if (runner.knows_arrivals()) runner.expect(expected_us(which, round));
  const bool is_looked_at = check && checked_ != nullptr;
  if (is_looked_at) checked_->renew();
  if (buffers == nullptr) return std::nullopt;
  const std::int64_t begin = mpi::steady_ns();
  buffers->make_ready(is_looked_at);
  return buffers->writes() ? std::optional(mpi::steady_ns() - begin) : std::nullopt;
}

/// When every rank will arrive, from the first one on. Collective over the group.
std::vector<double> Calls::expected_us(std::size_t which, std::size_t round) {
  std::vector<double> all;
  first_us_ = 0;
  if (settings_->processing.prediction.is_of_pattern()) {
    all = delays_.predicted_us_of_all(round);
  } else {
    const std::optional<std::int64_t> mean = computed_[which].ns();
    const double own = mean ? us(*mean) - settings_->processing.compute_us : 0;
    all.resize(static_cast<std::size_t>(ranks_));
    mpi::require(MPI_Allgather(&own, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, comms_->own()),
                 "MPI_Allgather");
  }
  first_us_ = std::ranges::min(all);
  for (double& one : all) one -= first_us_;
  return all;
}

/// The same for all algorithms, whether they make use of it or not.
void Calls::process(std::size_t which, const Start& start, std::size_t round) {
  Runner& runner = runners_[which];
  MovingAverage& computed = computed_[which];
  const arrivals::Predictor from = settings_->processing.prediction.from;
  const std::int64_t compute_ns = ns(settings_->processing.compute_us);
  const std::int64_t delay_ns = delays_.own_ns(round);
  runner.processing_start();
  if (const std::optional<std::int64_t> predicted = delays_.predicted_ns(round)) {
    runner.predict(start.local_ns + compute_ns + *predicted, true);
  }
  const bool averages = from == arrivals::Predictor::sma;
  const std::optional<std::int64_t> mean = averages ? computed.ns() : std::nullopt;
  if (mean) runner.predict(start.local_ns + *mean, false);
  process_half(start.local_ns + (compute_ns + delay_ns) / 2, delay_ns);
  if (from == arrivals::Predictor::edge) runner.edge(0.5);
  process_half(start.local_ns + compute_ns + delay_ns, delay_ns);
  runner.processing_end();
  computed.add(mpi::steady_ns() - start.local_ns);
}

void Calls::process_half(std::int64_t end_ns, std::int64_t delay_ns) const {
  const Wait wait = settings_->processing.wait;
  if (wait == Wait::work) {
    work(half_work_);
    end_ns = mpi::steady_ns() + delay_ns / 2;
  }
  wait_until(end_ns, wait);
}

/// Returns how long was computed between the begin and the end.
std::int64_t Calls::run_in_parts(std::size_t which, bool computes) {
  Runner& runner = runners_[which];
  runner.begin();
  std::int64_t computed = 0;
  if (computes) {
    const Computation& beside = beside_[which];
    bool done = false;
    for (std::int64_t piece = 0; piece < beside.pieces; ++piece) {
      const std::int64_t start = mpi::steady_ns();
      if (settings_->processing.wait == Wait::work) {
        work(beside.rounds);
      } else {
        wait_until(start + beside.piece_ns, settings_->processing.wait);
      }
      computed += mpi::steady_ns() - start;
      if (*settings_->overlap > 0 && !done) done = runner.test();
    }
  }
  runner.finish();
  return computed;
}

void Calls::keep_fault(std::size_t which) {
  std::string& fault = faults_[which];
  if (!fault.empty()) return;
  fault = comms_->named(checked_ != nullptr ? checked_->fault() : runners_[which].fault());
}

}  // namespace gatherbench::bench
