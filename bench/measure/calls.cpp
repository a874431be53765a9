// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/calls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "bench/host/watchdog.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

// A computation that is an amount of work, not a time: it takes longer where something disturbs it
// or the processor is slower, as a program's does (Faraj 2006, figure 4.16).

/// Goes over a small array so many times; the array stays in the processor's nearest cache.
void work(std::int64_t rounds) {
  static std::array<double, 1002> a{};
  static const std::array<double, 1002> b{};
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::size_t k = 1; k < 1000; ++k) a[k] = b[k + 1] - a[k - 1] * 2;
    asm volatile("" : : "r"(a.data()) : "memory");  // or the compiler would leave all of it out
  }
}

constexpr std::int64_t rounds_a_try = 100;
constexpr int tries = 50;

/// Returns the time of a round in the fastest try, which nothing disturbed; it has warmed up by
/// then.
double round_ns() {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < tries; ++i) {
    const std::int64_t start = mpi::steady_ns();
    work(rounds_a_try);
    least = std::min(least, static_cast<double>(mpi::steady_ns() - start));
  }
  return std::max(least, 1.0) / rounds_a_try;
}

// The watchdog is told of each cycle that takes longer than this, which makes no difference to it.
constexpr std::int64_t long_cycle_ns = 10'000'000;

bool any_expects(std::span<const std::unique_ptr<PreparedCall>> calls) {
  return std::ranges::any_of(calls, [](const auto& call) { return call->expecting() != nullptr; });
}

}  // namespace

std::int64_t rounds_of_work(double us, MPI_Comm comm) {
  double one_ns = mpi::rank_of(comm) == 0 ? round_ns() : 0;
  mpi::require(MPI_Bcast(&one_ns, 1, MPI_DOUBLE, 0, comm), "MPI_Bcast");
  return std::llround(us * 1000 / one_ns);
}

Calls::Algorithm::Algorithm(PreparedCall& prepared)
    : call(prepared),
      splittable(prepared.splittable()),
      predicting(prepared.predicting()),
      expecting(prepared.expecting()),
      checking(prepared.self_checking()) {
  if (checking != nullptr && !checking->checks_each_run()) checking = nullptr;
}

Calls::Calls(std::span<const std::unique_ptr<PreparedCall>> calls, const CaseSettings& settings,
             const MeasureResources& with, const mpi::GlobalClock& clock, const GroupComms& comms)
    : settings_(settings),
      with_(&with),
      comms_(&comms),
      ranks_(mpi::size_of(comms.own())),
      synchroniser_(settings.launch.sync, settings.launch.wait, clock, comms.all()),
      delays_(settings, any_expects(calls), comms.own()),
      processes_(settings.processes()),
      in_parts_(settings.launch.options.overlap.has_value()),
      half_work_(settings.launch.wait == Wait::work
                     ? rounds_of_work(settings.launch.compute_us / 2, comms.all())
                     : 0) {
  for (const std::unique_ptr<PreparedCall>& call : calls) algorithms_.emplace_back(*call);
}

Sample Calls::run(std::size_t which, const Load& load, std::size_t round, bool check) {
  Algorithm& algorithm = algorithms_[which];
  PreparedCall& call = algorithm.call;
  const std::optional<std::int64_t> write_ns = make_ready(algorithm, round, check);
  const mpi::ScopedSettings armed = call.arm();
  if (load.congested) with_->congestion->begin();
  const Start start = synchroniser_.start();
  Traffic* const traffic = load.traffic ? with_->traffic : nullptr;
  if (traffic != nullptr) traffic->begin();
  const std::int64_t computed_ns = processes_ ? process(algorithm, start, round) : 0;
  const std::int64_t arrival = mpi::steady_ns();
  if (algorithm.expecting != nullptr) {
    algorithm.expecting->arrived(as_us(arrival - start.local_ns) - settings_.launch.compute_us -
                                 first_us_);
  }
  std::int64_t overlapped_ns = 0;
  if (in_parts_) {
    overlapped_ns = run_in_parts(algorithm, load.computes);
  } else {
    call.run();
  }
  const std::int64_t exit = mpi::steady_ns();
  if (traffic != nullptr) traffic->end();
  if (load.congested) with_->congestion->end();
  Watchdog::beat();
  Sample sample{.round = round,
                .call = 0,
                .start_ns = start.local_ns,
                .computed_ns = computed_ns,
                .arrival_ns = arrival,
                .exit_ns = exit,
                .chosen = call.chosen()};
  if (write_ns) sample.put("write_us", *write_ns);
  if (load.computes) sample.put("overlapped_us", overlapped_ns);
  if (settings_.launch.options.read) {
    const std::int64_t begin = mpi::steady_ns();
    with_->buffers->read();
    sample.put("read_us", mpi::steady_ns() - begin);
  }
  if (const mpi::ArrivalStatistics* const predicted = call.arrival_statistics()) {
    sample.put("prediction_error_us", as_ns(std::abs(predicted->error_us)));
    sample.put("helper_us", as_ns(predicted->helper_busy_us));
    if (algorithm.expecting != nullptr) sample.put("schedule_us", as_ns(predicted->schedule_us));
  }
  if (check && checks()) keep_fault(algorithm);
  return sample;
}

void Calls::run_cycle(PreparedCall& call) const {
  with_->buffers->make_ready(false);
  call.run();
  with_->buffers->read();
}

std::int64_t Calls::run_cycles(std::size_t which) {
  const std::int64_t cycles = settings_.cycles();
  constexpr int not_counted = 2;  // the first ones find what timed calls left, which did not read
  Algorithm& algorithm = algorithms_[which];
  if (with_->checked != nullptr) with_->checked->renew();
  const mpi::ScopedSettings armed = algorithm.call.arm();
  (void)synchroniser_.start();
  const std::int64_t first = mpi::steady_ns();
  for (int i = 0; i < not_counted; ++i) run_cycle(algorithm.call);
  Watchdog::beat();
  const std::int64_t begin = mpi::steady_ns();
  const bool is_long = (begin - first) / not_counted > long_cycle_ns;
  for (std::int64_t i = 0; i < cycles; ++i) {
    run_cycle(algorithm.call);
    if (is_long) Watchdog::beat();
  }
  const std::int64_t end = mpi::steady_ns();
  Watchdog::beat();
  if (checks()) keep_fault(algorithm);
  return (end - begin) / cycles;
}

void Calls::run_recorded(std::size_t which, std::size_t round, StepRecorder& recorder) {
  Algorithm& algorithm = algorithms_[which];
  (void)make_ready(algorithm, round, with_->checked != nullptr);
  const std::span<std::int64_t> marks = recorder.next_call();
  const Start start = synchroniser_.start();
  if (processes_) (void)process(algorithm, start, round);
  algorithm.call.plan()->run(marks);
  Watchdog::beat();
  if (with_->checked != nullptr) keep_fault(algorithm);
}

void Calls::compute_beside(std::size_t which, double whole_ns) {
  Computation& beside = algorithms_[which].beside;
  beside.pieces = std::max<std::int64_t>(*settings_.launch.options.overlap, 1);
  const double piece_ns = whole_ns / static_cast<double>(beside.pieces);
  beside.piece_ns = std::llround(piece_ns);
  if (settings_.launch.wait == Wait::work) {
    beside.rounds = rounds_of_work(piece_ns / 1000, comms_->all());
  }
}

bool Calls::checks() const {
  return with_->checked != nullptr ||
         std::ranges::any_of(
             algorithms_, [](const Algorithm& algorithm) { return algorithm.checking != nullptr; });
}

std::optional<std::int64_t> Calls::make_ready(Algorithm& algorithm, std::size_t round, bool check) {
  CallBuffers* const buffers = with_->buffers;
  if (buffers != nullptr && buffers->next()) {
    algorithm.call.use_buffers(buffers->send(), buffers->receive());
  }
  if (algorithm.expecting != nullptr) algorithm.expecting->expect(expected_us(algorithm, round));
  const bool is_looked_at = check && with_->checked != nullptr;
  if (is_looked_at) with_->checked->renew();
  if (buffers == nullptr) return std::nullopt;
  const std::int64_t begin = mpi::steady_ns();
  buffers->make_ready(is_looked_at);
  return buffers->writes() ? std::optional(mpi::steady_ns() - begin) : std::nullopt;
}

/// Returns when every rank will arrive, in us from the first one on. Collective over the group.
std::vector<double> Calls::expected_us(const Algorithm& algorithm, std::size_t round) {
  std::vector<double> all;
  first_us_ = 0;
  if (settings_.launch.options.prediction.is_of_pattern()) {
    all = delays_.predicted_us_of_all(round);
  } else {
    const std::optional<std::int64_t> mean = algorithm.computed.ns();
    const double own = mean ? as_us(*mean) - settings_.launch.compute_us : 0;
    all.resize(static_cast<std::size_t>(ranks_));
    mpi::require(MPI_Allgather(&own, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, comms_->own()),
                 "MPI_Allgather");
  }
  first_us_ = std::ranges::min(all);
  for (double& one : all) one -= first_us_;
  return all;
}

/// Computes up to the rank's arrival, and tells a call that predicts of the progress. All
/// algorithms have the same done, whether they make use of it or not. Returns the time that it has
/// for the computation: what was asked for, or as long as the work took.
std::int64_t Calls::process(Algorithm& algorithm, const Start& start, std::size_t round) {
  Predicting* const predicting = algorithm.predicting;
  MovingAverage& computed = algorithm.computed;
  const arrivals::Predictor from = settings_.launch.options.prediction.from;
  const std::int64_t compute_ns = as_ns(settings_.launch.compute_us);
  const std::int64_t delay_ns = delays_.own_ns(round);
  const std::optional<std::int64_t> predicted = delays_.predicted_ns(round);
  if (predicting != nullptr) {
    predicting->processing_start();
    if (predicted) predicting->predict(start.local_ns + compute_ns + *predicted, true);
  }
  const bool averages = from == arrivals::Predictor::sma;
  const std::optional<std::int64_t> mean = averages ? computed.ns() : std::nullopt;
  if (mean && predicting != nullptr) predicting->predict(start.local_ns + *mean, false);
  const bool works = half_work_ > 0;
  const std::int64_t begin_ns = works ? mpi::steady_ns() : start.local_ns;
  process_half(start.local_ns + (compute_ns + delay_ns) / 2, delay_ns);
  if (from == arrivals::Predictor::edge && predicting != nullptr) predicting->edge(0.5);
  process_half(start.local_ns + compute_ns + delay_ns, delay_ns);
  if (predicting != nullptr) predicting->processing_end();
  const std::int64_t done_ns = mpi::steady_ns();
  computed.add(done_ns - start.local_ns);
  return works ? done_ns - begin_ns - delay_ns : compute_ns;
}

void Calls::process_half(std::int64_t end_ns, std::int64_t delay_ns) const {
  const Wait wait = settings_.launch.wait;
  if (wait == Wait::work) {
    work(half_work_);
    end_ns = mpi::steady_ns() + delay_ns / 2;
  }
  wait_until(end_ns, wait);
}

/// Runs a call in parts, and returns how many ns were computed between its begin and its end.
std::int64_t Calls::run_in_parts(Algorithm& algorithm, bool computes) {
  Splittable& call = *algorithm.splittable;
  call.begin();
  std::int64_t computed = 0;
  if (computes) {
    const Computation& beside = algorithm.beside;
    bool done = false;
    for (std::int64_t piece = 0; piece < beside.pieces; ++piece) {
      const std::int64_t start = mpi::steady_ns();
      if (settings_.launch.wait == Wait::work) {
        work(beside.rounds);
      } else {
        wait_until(start + beside.piece_ns, settings_.launch.wait);
      }
      computed += mpi::steady_ns() - start;
      if (*settings_.launch.options.overlap > 0 && !done) done = call.test();
    }
  }
  call.finish();
  return computed;
}

void Calls::keep_fault(Algorithm& algorithm) {
  std::string& fault = algorithm.fault;
  if (!fault.empty()) return;
  if (with_->checked != nullptr) {
    fault = comms_->named(with_->checked->fault());
  } else if (algorithm.checking != nullptr) {
    fault = comms_->named(algorithm.checking->fault());
  }
}

}  // namespace gatherbench::bench
