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
#include "formats/iteration.h"

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
  /// Time of the message of a block of the base size, in microseconds: `t`.
  [[nodiscard]] double message_us() const { return message_us_; }

 private:
  [[nodiscard]] bool is_steady() const;
  /// Transfers within a node are copies only where the algorithm says so.
  [[nodiscard]] cost::TimingModel model_for(const algorithms::Choice& choice) const;
  /// Times of messages that the algorithm needs, and the user did not give.
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

}  // namespace gatherbench::allgather_schedule
