// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/measure/case_settings.h"

// Between the start of an iteration and its arrival at the all-gather a rank computes, then waits
// for the delay that the arrival pattern asks of it (Proficz 2021, Listing 4).
namespace gatherbench::bench {

/// The delays of a batch of rounds, and what is predicted of them if that follows from the pattern;
/// nanoseconds.
class Delays {
 public:
  /// The communicator, the launch and the case must outlive it. With `tells_all` every rank learns
  /// what is predicted of all.
  Delays(const CaseSettings& settings, bool tells_all, MPI_Comm comm);

  /// Draws the delays of the rounds from this one on: rank 0 draws, every rank gets its own.
  /// Collective.
  void draw(std::int64_t first_round, std::int64_t rounds);

  /// Returns this rank's delay in a round, by its number within the batch.
  [[nodiscard]] std::int64_t own_ns(std::size_t round) const {
    return own_.empty() ? 0 : own_[round];
  }
  /// Returns the delay of any rank in a round; on rank 0 alone.
  [[nodiscard]] std::int64_t ns(std::size_t round, std::size_t rank) const {
    return all_.empty() ? 0 : all_[rank * own_.size() + round];
  }
  /// Returns this rank's predicted delay, the same for all algorithms of a round; none if it does
  /// not follow from the pattern.
  [[nodiscard]] std::optional<std::int64_t> predicted_ns(std::size_t round) const {
    return predicted_.empty() ? std::nullopt : std::optional(predicted_[round]);
  }
  /// Returns the predicted delay of every rank in microseconds, if all are told.
  [[nodiscard]] std::vector<double> predicted_us_of_all(std::size_t round) const;
  [[nodiscard]] std::int64_t imbalance_ns(std::size_t round) const;

 private:
  /// Draws the times of all ranks, on rank 0. `predicted` becomes empty where nothing is to be
  /// predicted.
  void draw_all(std::uint64_t first_round, std::size_t rounds,
                std::vector<std::int64_t>& predicted);
  /// Returns when each rank arrives, in microseconds.
  [[nodiscard]] std::vector<double> arrivals_of(std::uint64_t iteration) const;
  /// Returns this rank's part of what rank 0 has of all, [rank][round].
  [[nodiscard]] std::vector<std::int64_t> scatter(const std::vector<std::int64_t>& all,
                                                  std::int64_t rounds) const;

  CaseSettings settings_;
  bool tells_all_;
  MPI_Comm comm_;
  int rank_;
  int ranks_;
  std::vector<std::int64_t> all_;  // [rank][round], on rank 0
  std::vector<std::int64_t> own_;
  std::vector<std::int64_t> predicted_;
  std::vector<std::int64_t> all_predicted_;  // [rank][round], if all are told
};

}  // namespace gatherbench::bench
