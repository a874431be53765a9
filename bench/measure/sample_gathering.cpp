// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/sample_gathering.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

double us(std::int64_t ns) { return static_cast<double>(ns) / 1000; }
std::int64_t ns(double us) { return std::llround(us * 1000); }

}  // namespace

SampleGathering::SampleGathering(const Processing& processing, bool record_ranks,
                                 const Delays& delays, const mpi::GlobalClock& clock,
                                 MPI_Comm group)
    : processing_(processing),
      record_ranks_(record_ranks),
      delays_(&delays),
      clock_(&clock),
      comm_(group),
      rank_(mpi::rank_of(group)),
      ranks_(mpi::size_of(group)) {}

Timings SampleGathering::gather(std::span<const Sample> samples, SampleKind kind,
                                std::int64_t first) {
  if (samples.empty()) return {};  // so has every rank of the group none
  std::vector<Totals> totals;
  std::vector<OwnTimes> own;
  for (const Sample& sample : samples) {
    own.push_back(own_times(sample));
    totals.push_back(own_totals(sample, own.back()));
  }
  reduce_to_rank_0(totals, comm_);
  Timings timings{.ranks = gather_ranks(samples, own)};
  if (rank_ != 0) return {};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    exits_ns_[sample.call] = totals[i].max_exit;
    timings.iterations.push_back(iteration(totals[i], kind, sample));
    timings.iterations.back().number = first + static_cast<std::int64_t>(sample.round);
    if (!sample.chosen.empty()) timings.chosen.emplace_back(sample.chosen);
  }
  return timings;
}

void SampleGathering::add_periods(Timings& timings, std::span<const Sample> samples) const {
  for (std::size_t i = 0; i < timings.iterations.size(); ++i) {
    const std::size_t call = samples[i].call;
    if (call == 0 || exits_ns_[call - 1] == 0) continue;  // that call was not counted
    timings.iterations[i].period_us = us(exits_ns_[call] - exits_ns_[call - 1]);
  }
}

SampleGathering::OwnTimes SampleGathering::own_times(const Sample& sample) const {
  const std::int64_t computed = sample.arrival_ns - sample.start_ns;
  return {.elapsed_ns = sample.exit_ns - sample.arrival_ns,
          .computed_ns = computed,
          .achieved_ns = computed - ns(processing_.compute_us)};
}

Totals SampleGathering::own_totals(const Sample& sample, const OwnTimes& own) const {
  const std::int64_t asked_ns = delays_->own_ns(sample.round);
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
          .max_behind = own.achieved_ns - asked_ns,
          .sum_overlapped = sample.overlapped_ns,
          .sum_write = sample.write_ns.value_or(0),
          .sum_read = sample.read_ns.value_or(0),
          .sum_cycle = sample.cycle_ns.value_or(0)};
}

formats::Iteration SampleGathering::iteration(const Totals& totals, SampleKind kind,
                                              const Sample& sample) const {
  formats::Iteration found{.min_us = us(totals.min_elapsed),
                           .avg_us = us(totals.sum_elapsed) / ranks_,
                           .max_us = us(totals.max_elapsed),
                           .run_us = us(totals.max_exit - totals.min_arrival),
                           .imbalance_us = us(totals.max_arrival - totals.min_arrival),
                           .behind_us = us(totals.max_behind),
                           .clock_error_us = us(std::max(clock_->error_ns(totals.min_arrival),
                                                         clock_->error_ns(totals.max_exit)))};
  if (processing_.delays()) {
    found.asked_imbalance_us = us(delays_->imbalance_ns(sample.round));
    found.asked_run_us = us(totals.max_asked_exit - totals.min_asked);
    found.delay_error_us = us(totals.max_delay_error);
  }
  if (sample.write_ns) found.write_us = us(totals.sum_write) / ranks_;
  if (sample.read_ns) found.read_us = us(totals.sum_read) / ranks_;
  if (sample.cycle_ns) found.cycle_us = us(totals.sum_cycle) / ranks_;
  if (kind.computes) found.overlapped_us = us(totals.sum_overlapped) / ranks_;
  if (kind.predicts) {
    found.prediction_error_us = us(totals.max_prediction_error);
    found.helper_us = us(totals.max_helper);
    if (kind.knows_arrivals) found.schedule_us = us(totals.max_schedule);
  }
  return found;
}

std::vector<formats::RankTimes> SampleGathering::gather_ranks(
    std::span<const Sample> samples, const std::vector<OwnTimes>& own) const {
  if (!record_ranks_) return {};
  const auto ranks = static_cast<std::size_t>(ranks_);
  std::vector<OwnTimes> all(rank_ == 0 ? own.size() * ranks : 0);
  const auto bytes = static_cast<int>(own.size() * sizeof(OwnTimes));
  mpi::require(MPI_Gather(own.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, comm_),
               "MPI_Gather");
  std::vector<formats::RankTimes> found;
  for (std::size_t i = 0; rank_ == 0 && i < own.size(); ++i) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const OwnTimes& part = all[rank * own.size() + i];
      formats::RankTimes times{.elapsed_us = us(part.elapsed_ns)};
      if (processing_.delays()) {
        times.asked_us = us(delays_->ns(samples[i].round, rank));
        times.achieved_us = us(part.achieved_ns);
      }
      if (processing_.is_any()) times.computed_us = us(part.computed_ns);
      found.push_back(times);
    }
  }
  return found;
}

}  // namespace gatherbench::bench
