// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/cost/timing.h"
#include "algorithms/placement.h"
#include "distributions/arrivals/arrival_pattern.h"
#include "distributions/arrivals/prediction.h"
#include "distributions/block_sizes.h"
#include "formats/metadata.h"
#include "tools/allgather_schedule/common/common.h"

// The work of the command `time`.
namespace gatherbench::allgather_schedule {

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
  /// Bytes of each. Throws InputError if they are too many.
  [[nodiscard]] std::vector<std::int64_t> blocks_of(const distributions::Distribution& distribution,
                                                    std::int64_t size) const;
};

/// Throws InputError.
[[nodiscard]] TimedTask settle(const TimeOptions& options);

/// Returns the metadata of the result file.
[[nodiscard]] formats::Metadata metadata_of(const TimeOptions& options, const TimedTask& task);

/// "hockney:alpha=SECONDS,...": what --model takes.
[[nodiscard]] std::string forms_of_model();

/// "perfect, noise:SIGMA": the predictors that a computation is not needed for.
[[nodiscard]] std::string names_of_predictors();

}  // namespace gatherbench::allgather_schedule
