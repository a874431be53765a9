// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/sample_gathering.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

/// Returns whether a reduced time is the mean over the ranks, and not the largest of them.
bool is_mean(std::size_t place) {
  return formats::comes(*formats::time_columns[place], formats::OverRanks::mean);
}

}  // namespace

/// The numbers of one iteration that are reduced over the ranks, in nanoseconds. Arrivals and exits
/// are by the common clock. They are made from one rank's sample, and combined field by field.
struct SampleGathering::Totals {
  std::int64_t min_elapsed;
  std::int64_t max_elapsed;
  std::int64_t sum_elapsed;
  std::int64_t min_arrival;
  std::int64_t max_arrival;
  std::int64_t max_exit;
  std::int64_t min_asked;       ///< arrival that the pattern asks for
  std::int64_t max_asked_exit;  ///< that, and the elapsed time
  std::int64_t max_delay_error;
  std::int64_t max_behind;
  /// The sample's own, each reduced as its column says; 0 where the sample has none.
  std::array<std::int64_t, formats::reduced_times> times;

  /// Adds another set of ranks, which has none in common.
  void add(const Totals& other) {
    min_elapsed = std::min(min_elapsed, other.min_elapsed);
    max_elapsed = std::max(max_elapsed, other.max_elapsed);
    sum_elapsed += other.sum_elapsed;
    min_arrival = std::min(min_arrival, other.min_arrival);
    max_arrival = std::max(max_arrival, other.max_arrival);
    max_exit = std::max(max_exit, other.max_exit);
    min_asked = std::min(min_asked, other.min_asked);
    max_asked_exit = std::max(max_asked_exit, other.max_asked_exit);
    max_delay_error = std::max(max_delay_error, other.max_delay_error);
    max_behind = std::max(max_behind, other.max_behind);
    for (std::size_t i = 0; i < times.size(); ++i) {
      times[i] = is_mean(i) ? times[i] + other.times[i] : std::max(times[i], other.times[i]);
    }
  }

  /// Leaves those of all ranks on rank 0, and on others what is undefined. Collective.
  static void reduce_to_rank_0(std::vector<Totals>& totals, MPI_Comm comm);
};

void SampleGathering::Totals::reduce_to_rank_0(std::vector<Totals>& totals, MPI_Comm comm) {
  static_assert(std::is_trivially_copyable_v<Totals> && sizeof(Totals) % sizeof(std::int64_t) == 0);
  constexpr int fields = sizeof(Totals) / sizeof(std::int64_t);
  const auto add_all = [](void* in, void* in_out, int* count, MPI_Datatype* /*type*/) {
    const auto* const others = static_cast<const Totals*>(in);
    auto* const sums = static_cast<Totals*>(in_out);
    for (int i = 0; i < *count; ++i) sums[i].add(others[i]);
  };
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  mpi::require(MPI_Type_contiguous(fields, MPI_INT64_T, &type), "MPI_Type_contiguous");
  mpi::require(MPI_Type_commit(&type), "MPI_Type_commit");
  mpi::require(MPI_Op_create(add_all, 1, &op), "MPI_Op_create");
  const void* const send = mpi::rank_of(comm) == 0 ? MPI_IN_PLACE : totals.data();
  const int failed =
      MPI_Reduce(send, totals.data(), static_cast<int>(totals.size()), type, op, 0, comm);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  mpi::require(failed, "MPI_Reduce");
}

SampleGathering::SampleGathering(const CaseSettings& settings, const Delays& delays,
                                 const mpi::GlobalClock& clock, MPI_Comm group)
    : settings_(settings),
      delays_(&delays),
      clock_(&clock),
      comm_(group),
      rank_(mpi::rank_of(group)),
      ranks_(mpi::size_of(group)) {}

Timings SampleGathering::gather(std::span<const Sample> samples, std::int64_t first) {
  if (samples.empty()) return {};  // so has every rank of the group none
  std::vector<Totals> totals;
  totals.reserve(samples.size());
  for (const Sample& sample : samples) totals.push_back(own_totals(sample));
  Totals::reduce_to_rank_0(totals, comm_);
  Timings timings{.ranks = gather_ranks(samples)};
  if (rank_ != 0) return {};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    exits_ns_[sample.call] = totals[i].max_exit;
    timings.iterations.push_back(iteration(totals[i], sample));
    timings.iterations.back().number = first + static_cast<std::int64_t>(sample.round);
    if (!sample.chosen.empty()) timings.chosen.emplace_back(sample.chosen);
  }
  return timings;
}

void SampleGathering::add_periods(Timings& timings, std::span<const Sample> samples) const {
  for (std::size_t i = 0; i < timings.iterations.size(); ++i) {
    const std::size_t call = samples[i].call;
    if (call == 0 || exits_ns_[call - 1] == 0) continue;  // that call was not counted
    timings.iterations[i]["period_us"] = as_us(exits_ns_[call] - exits_ns_[call - 1]);
  }
}

SampleGathering::Totals SampleGathering::own_totals(const Sample& sample) const {
  const std::int64_t elapsed = sample.exit_ns - sample.arrival_ns;
  const std::int64_t asked = delays_->own_ns(sample.round);
  const std::int64_t arrival = clock_->global_ns(sample.arrival_ns);
  const std::int64_t delayed = sample.arrival_ns - sample.start_ns - asked;
  Totals own{.min_elapsed = elapsed,
             .max_elapsed = elapsed,
             .sum_elapsed = elapsed,
             .min_arrival = arrival,
             .max_arrival = arrival,
             .max_exit = clock_->global_ns(sample.exit_ns),
             .min_asked = asked,
             .max_asked_exit = asked + elapsed,
             .max_delay_error = std::abs(delayed - as_ns(settings_.launch.compute_us)),
             .max_behind = delayed - sample.computed_ns,
             .times = sample.times_ns};
  std::ranges::replace(own.times, no_time, 0);
  return own;
}

formats::Iteration SampleGathering::iteration(const Totals& totals, const Sample& sample) const {
  formats::Iteration found{{"min_us", as_us(totals.min_elapsed)},
                           {"avg_us", as_us(totals.sum_elapsed) / ranks_},
                           {"max_us", as_us(totals.max_elapsed)},
                           {"run_us", as_us(totals.max_exit - totals.min_arrival)},
                           {"imbalance_us", as_us(totals.max_arrival - totals.min_arrival)},
                           {"clock_error_us", as_us(std::max(clock_->error_ns(totals.min_arrival),
                                                             clock_->error_ns(totals.max_exit)))}};
  found.behind_us = as_us(totals.max_behind);
  if (settings_.delays()) {
    found["asked_imbalance_us"] = as_us(delays_->imbalance_ns(sample.round));
    found["asked_run_us"] = as_us(totals.max_asked_exit - totals.min_asked);
    found["delay_error_us"] = as_us(totals.max_delay_error);
  }
  for (std::size_t i = 0; i < totals.times.size(); ++i) {
    if (sample.times_ns[i] == no_time) continue;
    const double all_us = as_us(totals.times[i]);
    found[formats::IterationTime::at(i)] = is_mean(i) ? all_us / ranks_ : all_us;
  }
  return found;
}

formats::RankTimes SampleGathering::own_times(const Sample& sample) const {
  const std::int64_t computed = sample.arrival_ns - sample.start_ns;
  formats::RankTimes times{.elapsed_us = as_us(sample.exit_ns - sample.arrival_ns)};
  if (settings_.delays()) {
    times.asked_us = as_us(delays_->own_ns(sample.round));
    times.achieved_us = as_us(computed - as_ns(settings_.launch.compute_us));
  }
  if (settings_.processes()) times.computed_us = as_us(computed);
  return times;
}

std::vector<formats::RankTimes> SampleGathering::gather_ranks(
    std::span<const Sample> samples) const {
  if (!settings_.launch.options.records(formats::File::ranks)) return {};
  std::vector<formats::RankTimes> own;
  own.reserve(samples.size());
  for (const Sample& sample : samples) own.push_back(own_times(sample));
  const auto ranks = static_cast<std::size_t>(ranks_);
  std::vector<formats::RankTimes> all(rank_ == 0 ? own.size() * ranks : 0);
  const auto bytes = static_cast<int>(own.size() * sizeof(formats::RankTimes));
  mpi::require(MPI_Gather(own.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, comm_),
               "MPI_Gather");
  if (rank_ != 0) return {};
  std::vector<formats::RankTimes> found;
  found.reserve(all.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    for (std::size_t rank = 0; rank < ranks; ++rank) found.push_back(all[rank * own.size() + i]);
  }
  return found;
}

}  // namespace gatherbench::bench
