// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/cost/timing.h"
#include "algorithms/placement.h"
#include "distributions/arrivals/arrival_pattern.h"
#include "distributions/arrivals/prediction.h"
#include "distributions/block_sizes.h"
#include "formats/iteration.h"
#include "formats/metadata.h"
#include "tools/allgather_schedule/common/common.h"

// The work of the command `time`.
namespace gatherbench::allgather_schedule {

/// A collective of some blocks under an arrival pattern, and its time by a model.
class TimedCase {
 public:
  /// The prediction is one of the pattern. All that it refers to must outlive it.
  TimedCase(const arrivals::ArrivalPattern& pattern, const arrivals::Prediction& prediction,
            const algorithms::Placement& placement, const std::vector<std::int64_t>& block_bytes,
            int ranks, std::int64_t base_bytes, const cost::TimingModel& model);

  /// Times of one algorithm: an iteration for each number from 0 on.
  struct Times {
    std::string reason;  ///< why there are none, or empty
    std::vector<formats::Iteration> iterations;
  };
  [[nodiscard]] Times of(const algorithms::Choice& choice, std::int64_t iterations,
                         std::uint64_t seed) const;
  /// Returns the time of the message of a block of the base size, in microseconds: `t`.
  [[nodiscard]] double message_us() const { return message_us_; }

 private:
  [[nodiscard]] bool is_steady() const;
  /// Returns the model for the algorithm: transfers within a node are copies only where it says so.
  [[nodiscard]] cost::TimingModel model_for(const algorithms::Choice& choice) const;
  /// Sets the times of messages that the algorithm needs, and the user did not give.
  void tell_times(const algorithms::Choice& choice, std::int64_t total_bytes,
                  algorithms::Problem& problem) const;

  const arrivals::ArrivalPattern& pattern_;
  const arrivals::Prediction& prediction_;
  const algorithms::Placement& placement_;
  const std::vector<std::int64_t>& block_bytes_;
  int ranks_;
  const cost::TimingModel& model_;
  double message_us_;
};

/// The options, as the user gave them.
struct TimeOptions {
  AlgorithmOptions algorithms;
  std::string ranks;
  std::string sizes;
  std::string total_sizes;
  std::string distributions;
  std::string arrivals = "none";
  std::string prediction = "perfect";
  std::string iterations = "100";
  std::string seed = "1";
  std::string model;
  std::string output;
  PlacementOptions placement;
  RootOption root;
};

/// The times to compute, after all options were found legal.
struct TimedTask {
  std::vector<algorithms::Choice> choices;
  int ranks;
  std::vector<std::int64_t> sizes;   ///< bytes of a block
  std::vector<std::int64_t> totals;  ///< whose parts the sizes are; empty: none were given
  std::vector<distributions::Distribution> distributions;
  std::vector<arrivals::ArrivalPattern> patterns;
  arrivals::Prediction prediction;
  std::int64_t iterations;
  std::uint64_t seed;
  cost::TimingModel model;
  algorithms::Placement placement;
  const collectives::Collective* collective;

  [[nodiscard]] int nodes() const;
  /// Returns the bytes of each block. Throws InputError if they are too many.
  [[nodiscard]] std::vector<std::int64_t> blocks_of(const distributions::Distribution& distribution,
                                                    std::int64_t size) const;
};

/// Throws InputError.
[[nodiscard]] TimedTask settle(const TimeOptions& options);

/// Returns the metadata of the result file.
[[nodiscard]] formats::Metadata metadata_of(const TimeOptions& options, const TimedTask& task);

/// Returns what --model takes: "hockney:alpha=SECONDS,...".
[[nodiscard]] std::string forms_of_model();

/// Returns the names of the predictors that a computation is not needed for: "perfect, ...".
[[nodiscard]] std::string names_of_predictors();

}  // namespace gatherbench::allgather_schedule
