// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/delays.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "distributions/arrivals/prediction.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {

namespace {

/// Keeps one round in nanoseconds; `all` has `count` rounds of each rank in a row.
void keep(const std::vector<double>& us, std::size_t round, std::size_t count,
          std::vector<std::int64_t>& all) {
  for (std::size_t rank = 0; rank < us.size(); ++rank) {
    all[rank * count + round] = std::llround(us[rank] * 1000);
  }
}

}  // namespace

Delays::Delays(const CaseSettings& settings, bool tells_all, MPI_Comm comm)
    : settings_(settings),
      tells_all_(tells_all),
      comm_(comm),
      rank_(mpi::rank_of(comm)),
      ranks_(mpi::size_of(comm)) {}

void Delays::draw(std::int64_t first_round, std::int64_t rounds) {
  const bool predicts = settings_.launch.options.prediction.is_of_pattern();
  if (!settings_.delays() && !predicts) return;
  const auto count = static_cast<std::size_t>(rounds);
  const auto ranks = static_cast<std::size_t>(ranks_);
  std::vector<std::int64_t> predicted;
  if (rank_ == 0) {
    all_.resize(count * ranks);
    if (predicts) predicted.resize(count * ranks);
    draw_all(static_cast<std::uint64_t>(first_round), count, predicted);
  }
  own_ = scatter(all_, rounds);
  if (predicts) predicted_ = scatter(predicted, rounds);
  if (predicts && tells_all_) {
    all_predicted_ = std::move(predicted);
    all_predicted_.resize(count * ranks);
    mpi::require(MPI_Bcast(all_predicted_.data(), static_cast<int>(all_predicted_.size()),
                           MPI_INT64_T, 0, comm_),
                 "MPI_Bcast");
  }
}

void Delays::draw_all(std::uint64_t first_round, std::size_t rounds,
                      std::vector<std::int64_t>& predicted) {
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::uint64_t iteration = first_round + round;
    const std::vector<double> arrivals = arrivals_of(iteration);
    keep(arrivals, round, rounds, all_);
    if (predicted.empty()) continue;
    const Options& options = settings_.launch.options;
    keep(arrivals::predicted_us(options.prediction, arrivals, options.seed.value(), iteration,
                                settings_.message_us),
         round, rounds, predicted);
  }
}

std::vector<double> Delays::arrivals_of(std::uint64_t iteration) const {
  if (!settings_.delays()) return std::vector<double>(static_cast<std::size_t>(ranks_), 0);
  return arrivals::arrivals_us(*settings_.the_case.arrival, ranks_,
                               settings_.launch.options.seed.value(), iteration,
                               settings_.message_us);
}

std::vector<std::int64_t> Delays::scatter(const std::vector<std::int64_t>& all,
                                          std::int64_t rounds) const {
  std::vector<std::int64_t> own(static_cast<std::size_t>(rounds));
  mpi::require(MPI_Scatter(all.data(), static_cast<int>(rounds), MPI_INT64_T, own.data(),
                           static_cast<int>(rounds), MPI_INT64_T, 0, comm_),
               "MPI_Scatter");
  return own;
}

std::vector<double> Delays::predicted_us_of_all(std::size_t round) const {
  std::vector<double> us;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks_); ++rank) {
    us.push_back(static_cast<double>(all_predicted_[rank * own_.size() + round]) / 1000);
  }
  return us;
}

std::int64_t Delays::imbalance_ns(std::size_t round) const {
  std::int64_t least = ns(round, 0);
  std::int64_t most = least;
  for (std::size_t rank = 1; rank < static_cast<std::size_t>(ranks_); ++rank) {
    least = std::min(least, ns(round, rank));
    most = std::max(most, ns(round, rank));
  }
  return most - least;
}

}  // namespace gatherbench::bench
