// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bench/measure/calls.h"
#include "bench/measure/lateness.h"
#include "bench/measure/rounds.h"
#include "bench/measure/statistics.h"
#include "formats/text/parse.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

/// Returns the values of each rank on rank 0 of the communicator.
template <typename Value>
std::vector<std::vector<Value>> gather(const std::vector<Value>& own, MPI_Comm comm) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const auto ranks = static_cast<std::size_t>(mpi::size_of(comm));
  const int bytes = static_cast<int>(own.size() * sizeof(Value));
  std::vector<int> counts(ranks);
  mpi::require(MPI_Gather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm), "MPI_Gather");
  if (mpi::rank_of(comm) != 0) std::ranges::fill(counts, 0);
  std::vector<int> offsets(ranks);
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  std::vector<Value> all(static_cast<std::size_t>(offsets.back() + counts.back()) / sizeof(Value));
  mpi::require(MPI_Gatherv(own.data(), bytes, MPI_BYTE, all.data(), counts.data(), offsets.data(),
                           MPI_BYTE, 0, comm),
               "MPI_Gatherv");
  std::vector<std::vector<Value>> found(ranks);
  auto next = all.begin();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto end = next + counts[rank] / static_cast<std::ptrdiff_t>(sizeof(Value));
    found[rank].assign(next, end);
    next = end;
  }
  return found;
}

std::vector<char> in_lines(const std::vector<std::string>& texts) {
  std::vector<char> lines;
  for (const std::string& text : texts) {
    lines.insert(lines.end(), text.begin(), text.end());
    lines.push_back('\n');
  }
  return lines;
}

std::vector<std::string> texts_of(const std::vector<char>& lines) {
  if (lines.empty()) return {};
  const auto texts = text::split({lines.data(), lines.size() - 1}, '\n');
  return {texts.begin(), texts.end()};
}

template <typename Value>
void move_behind(std::vector<Value>& earlier, std::vector<Value>& later) {
  std::ranges::move(later, std::back_inserter(earlier));
}

/// Returns, on rank 0 of all, the times that the lowest rank of each group has, in the order of
/// groups; on other ranks nothing. Collective over the lowest ranks; on others it does nothing.
std::vector<Timings> gather_groups(Timings own, const GroupComms& comms) {
  std::vector<Timings> groups;
  const MPI_Comm roots = comms.roots();
  if (roots == MPI_COMM_NULL) return groups;
  if (comms.count() == 1) {
    groups.push_back(std::move(own));
    return groups;
  }
  auto iterations = gather(own.iterations, roots);
  auto ranks = gather(own.ranks, roots);
  const auto chosen = gather(in_lines(own.chosen), roots);
  if (mpi::rank_of(roots) != 0) return groups;
  for (std::size_t group = 0; group < comms.count(); ++group) {
    groups.push_back(
        {std::move(iterations[group]), std::move(ranks[group]), texts_of(chosen[group])});
  }
  return groups;
}

/// Puts later iterations of the same algorithm, group and load behind earlier ones.
void append(Timings& earlier, Timings later) {
  move_behind(earlier.iterations, later.iterations);
  move_behind(earlier.ranks, later.ranks);
  move_behind(earlier.chosen, later.chosen);
}

/// One algorithm under one load.
struct Turn {
  std::size_t which;
  std::size_t load;

  bool operator==(const Turn&) const = default;
};

class Measurement {
 public:
  Measurement(std::span<const std::unique_ptr<PreparedCall>> prepared, const CaseSettings& settings,
              const MeasureResources& with, std::mt19937_64& random, mpi::GlobalClock& clock,
              const GroupComms& comms)
      : prepared_(prepared),
        settings_(settings),
        with_(with),
        random_(&random),
        clock_(&clock),
        comms_(&comms),
        rank_(mpi::rank_of(comms.all())),
        calls_(prepared, settings_, with_, clock, comms),
        samples_of_group_(settings, calls_.delays(), clock, comms.own()),
        samples_(prepared.size(), std::vector<std::vector<Sample>>(settings.launch.loads.size())),
        measured_(prepared.size()) {
    const std::vector<Timings> of_groups(comms.count());
    for (std::size_t which = 0; which < prepared.size(); ++which) {
      measured_[which].timings.assign(settings.launch.loads.size(), of_groups);
      for (std::size_t load = 0; load < settings.launch.loads.size(); ++load) {
        order_.push_back({which, load});
      }
    }
  }

  std::vector<Measured> run() {
    clock_->synchronise_if_due();  // preparing may have taken long, and a window needs it
    Rounds rounds(settings_, takes_turns(), comms_->all());
    std::int64_t done = 0;
    while (const std::int64_t next = rounds.next_warmup(done)) {
      run_rounds(done, next, false);
      done += next;
      rounds.learn(done);
      tell(done, settings_.warmup(), "warm-up rounds");
    }
    if (settings_.launch.options.overlap) fit_computations();
    if (with_.counters != nullptr) with_.counters->begin();
    calls_made_ = 0;
    done = 0;
    line_us_ = look_at_cache_line();
    rounds.begin_timed();
    while (const std::int64_t next = rounds.next_timed(done, is_precise(done))) {
      run_rounds(done, next, true);
      reduce(done);
      done += next;
      rounds.learn(done);
      tell(done, settings_.iterations(), "timed rounds");
    }
    if (with_.counters != nullptr) with_.counters->end(calls_made_);
    record_steps(std::min(done, settings_.recorded_calls()));
    mark_all_late();
    if (calls_.checks()) {
      for (std::size_t which = 0; which < prepared_.size(); ++which) {
        measured_[which].fault = first_text(calls_.fault(which), comms_->all());
      }
    }
    return std::move(measured_);
  }

 private:
  static constexpr std::int64_t min_for_precision = 10;
  static constexpr std::int64_t fitting_calls = 20;

  void tell(std::int64_t done, std::int64_t all, std::string_view what) const {
    if (with_.tell) with_.tell(fmt::format("{} of {} {}", done, all, what));
  }

  /// Returns on rank 0 whether all are precise after so many rounds, if that is asked for.
  [[nodiscard]] bool is_precise(std::int64_t done) {
    if (!settings_.launch.options.precision || rank_ != 0 || done == 0) return false;
    mark_all_late();
    return std::ranges::all_of(all_timings(), [&](const Timings* timings) {
      std::vector<double> averages;
      for (const formats::Iteration& one : timings->counted()) averages.push_back(one["avg_us"]);
      return std::ssize(averages) >= min_for_precision &&
             precise_within(averages, *settings_.launch.options.precision);
    });
  }

  /// Returns on rank 0 the timings of every algorithm, load and group.
  [[nodiscard]] std::vector<Timings*> all_timings() {
    std::vector<Timings*> all;
    for (Measured& measured : measured_) {
      for (std::vector<Timings>& groups : measured.timings) {
        for (Timings& timings : groups) all.push_back(&timings);
      }
    }
    return all;
  }

  /// Returns whether the own group runs under a load in a round of the case.
  [[nodiscard]] bool has_turn(const Load& load, std::int64_t round) const {
    return load.every_group ||
           static_cast<std::size_t>(round) % comms_->count() == comms_->number();
  }

  void run_rounds(std::int64_t first, std::int64_t rounds, bool timed) {
    calls_.draw(first, rounds);
    for (std::int64_t begin = 0; begin < rounds; begin += settings_.launch.options.order.turn) {
      if (is_duet()) {
        with_.turns->begin_round();
        last_.reset();  // the partner has run
      }
      std::ranges::shuffle(order_, *random_);
      for (const Turn& turn : order_) {
        if (timed) settle(turn, begin);
        for (std::int64_t round = begin;
             round < std::min(begin + settings_.launch.options.order.turn, rounds); ++round) {
          run_call(turn, first, round, timed);
        }
        if (timed && settings_.cycles() > 0) run_cycles(turn);
      }
    }
    // Groups that take turns ran different algorithms last; in timed rounds each of them settles.
    if (!timed) last_.reset();
  }

  /// Makes one call, or lets other groups make theirs, and keeps a timed one's sample. `round` is
  /// of the batch that begins with the round `first` of the case.
  void run_call(const Turn& turn, std::int64_t first, std::int64_t round, bool timed) {
    if (!has_turn(settings_.launch.loads[turn.load], first + round)) return calls_.let_others_run();
    Sample sample = run_once(turn, round, timed);
    if (!timed) return;
    sample.call = counted_++;
    samples_[turn.which][turn.load].push_back(sample);
  }

  /// Times the cycles that follow a turn, and notes their time with its last call. The next turn
  /// settles, so that its calls find what a call of their own left, and not what a cycle did.
  void run_cycles(const Turn& turn) {
    samples_[turn.which][turn.load].back().put("cycle_us", calls_.run_cycles(turn.which));
    last_.reset();
  }

  Sample run_once(const Turn& turn, std::int64_t round, bool check) {
    last_ = turn;
    ++calls_made_;
    return calls_.run(turn.which, settings_.launch.loads[turn.load],
                      static_cast<std::size_t>(round), check);
  }

  [[nodiscard]] bool is_duet() const { return with_.turns != nullptr && with_.turns->is_duet(); }

  /// Returns whether something else runs between the turns of an algorithm: another algorithm or
  /// load, the partner of a duet, or cycles.
  [[nodiscard]] bool takes_turns() const {
    return order_.size() > 1 || is_duet() || settings_.cycles() > 0;
  }

  /// Makes one call of each group that is not counted, where others have run since the last one of
  /// this turn: the next one then finds caches and buffers as a call of its own left them.
  void settle(const Turn& turn, std::int64_t round) {
    if (!takes_turns() || last_ == turn) return;
    const bool all_at_once = settings_.launch.loads[turn.load].every_group;
    for (std::size_t group = 0; group < (all_at_once ? 1 : comms_->count()); ++group) {
      if (all_at_once || group == comms_->number()) {
        run_once(turn, round, true);
        ++counted_;  // so that the call behind it has no period
      } else {
        calls_.let_others_run();
      }
    }
  }

  /// Makes the computations beside calls as long as calls alone take now, which find what their own
  /// left: warm-up calls may be few, and cold. They are as long on all ranks of a group, so that
  /// none waits for another one's longer computation.
  void fit_computations() {
    const auto alone = std::ranges::find_if(settings_.launch.loads, &Load::is_call_alone);
    calls_.draw(0, fitting_calls);
    for (std::size_t which = 0; which < prepared_.size(); ++which) {
      const Turn turn{which, static_cast<std::size_t>(alone - settings_.launch.loads.begin())};
      settle(turn, 0);
      std::vector<double> alone_ns;
      for (std::int64_t round = 0; round < fitting_calls; ++round) {
        const Sample sample = run_once(turn, round, false);
        alone_ns.push_back(static_cast<double>(sample.exit_ns - sample.arrival_ns));
      }
      double ns = percentile(alone_ns, 50);
      mpi::require(MPI_Allreduce(MPI_IN_PLACE, &ns, 1, MPI_DOUBLE, MPI_SUM, comms_->own()),
                   "MPI_Allreduce");
      calls_.compute_beside(which, ns / mpi::size_of(comms_->own()));
    }
  }

  /// Records the steps of all that have some, in turns as the timed calls; there is one group, and
  /// one load. In a duet no turn is given up for it.
  void record_steps(std::int64_t rounds) {
    if (rounds == 0) return;
    std::vector<StepRecorder> recorders;
    for (const auto& call : prepared_) recorders.emplace_back(call->plan());
    calls_.draw(0, rounds);
    for (std::int64_t begin = 0; begin < rounds; begin += settings_.launch.options.order.turn) {
      std::ranges::shuffle(order_, *random_);
      for (const Turn& turn : order_) {
        const std::size_t which = turn.which;
        if (prepared_[which]->plan() == nullptr) continue;
        settle(turn, begin);
        for (std::int64_t round = begin;
             round < std::min(begin + settings_.launch.options.order.turn, rounds); ++round) {
          calls_.run_recorded(which, static_cast<std::size_t>(round), recorders[which]);
        }
      }
    }
    clock_->synchronise_if_due();
    for (std::size_t which = 0; which < prepared_.size(); ++which) {
      if (prepared_[which]->plan() == nullptr) continue;
      measured_[which].timings[0][0].steps = recorders[which].gather(*clock_, comms_->all());
    }
  }

  /// Gathers the samples since the last time from all ranks on rank 0; `first` is the batch's first
  /// round. The clock is synchronised first: its line tells more of the samples if it was measured
  /// before and after them than if it predicted them.
  void reduce(std::int64_t first) {
    clock_->synchronise_if_due();
    const std::optional<double> line_before_us = std::exchange(line_us_, look_at_cache_line());
    std::vector<Timings> of_turns;
    samples_of_group_.begin_batch(counted_);
    for (const Turn& turn : turns()) {
      of_turns.push_back(samples_of_group_.gather(samples_[turn.which][turn.load], first));
    }
    auto own = of_turns.begin();
    for (const Turn& turn : turns()) {
      std::vector<Sample>& samples = samples_[turn.which][turn.load];
      if (settings_.launch.sync == Sync::none) samples_of_group_.add_periods(*own, samples);
      samples.clear();
      std::vector<Timings> of_groups = gather_groups(std::move(*own++), *comms_);
      for (std::size_t group = 0; rank_ == 0 && group < of_groups.size(); ++group) {
        for (formats::Iteration& one : of_groups[group].iterations) {
          if (line_before_us) one["line_before_us"] = *line_before_us;
          if (line_us_) one["line_after_us"] = *line_us_;
        }
        append(measured_[turn.which].timings[turn.load][group], std::move(of_groups[group]));
      }
    }
    counted_ = 0;
  }

  /// Returns a cache line's way on rank 0. It is measured between batches, so that no timed call
  /// has anything of it.
  std::optional<double> look_at_cache_line() const {
    return with_.cache_line == nullptr ? std::nullopt : with_.cache_line->look();
  }

  /// Returns the turns in the same order on all ranks, whichever they ran in last.
  [[nodiscard]] std::vector<Turn> turns() const {
    std::vector<Turn> sorted = order_;
    std::ranges::sort(sorted, {}, [](const Turn& one) { return std::pair(one.which, one.load); });
    return sorted;
  }

  /// Marks the iterations that began too late; only a window has a start that can be missed.
  void mark_all_late() {
    if (settings_.launch.sync != Sync::window) return;
    for (Timings* const timings : all_timings()) mark_late(timings->iterations, clock_reading_us_);
  }

  std::span<const std::unique_ptr<PreparedCall>> prepared_;
  CaseSettings settings_;
  MeasureResources with_;
  std::mt19937_64* random_;
  mpi::GlobalClock* clock_;
  const GroupComms* comms_;
  int rank_;
  Calls calls_;
  SampleGathering samples_of_group_;
  std::vector<Turn> order_;
  std::optional<Turn> last_;       // the same in all groups, which settle together
  std::optional<double> line_us_;  // a cache line's way before the batch; on rank 0
  std::size_t counted_ = 0;        // calls of the own group in the batch, timed or settling
  std::int64_t calls_made_ = 0;    // such calls since the first timed round
  double clock_reading_us_ = settings_.launch.sync == Sync::window ? measure_clock_reading_us() : 0;
  std::vector<std::vector<std::vector<Sample>>> samples_;  // [call][load]
  std::vector<Measured> measured_;                         // by call
};

}  // namespace

std::vector<Measured> measure(std::span<const std::unique_ptr<PreparedCall>> calls,
                              const CaseSettings& settings, const MeasureResources& with,
                              std::mt19937_64& random, mpi::GlobalClock& clock,
                              const GroupComms& comms) {
  return Measurement(calls, settings, with, random, clock, comms).run();
}

}  // namespace gatherbench::bench
