// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "runtime/policies/policy.h"

namespace gatherbench::policies {

/// Another candidate in every call, drawn by the seed, for tests: whatever a program does has to
/// work with all of them. Every call is timed, and call plans are short, so that what else happens
/// between calls happens often.
class Random final : public Policy {
 public:
  static constexpr std::size_t calls_of_plan = 8;

  Random(std::size_t candidates, std::uint64_t seed);

  CallPlan next(std::span<const std::int64_t> times_ns) override;
  [[nodiscard]] std::size_t leader() const override { return 0; }
  /// Returns the mean of each candidate's times.
  [[nodiscard]] std::vector<Score> scores() const override;
  [[nodiscard]] std::int64_t excess_ns() const override { return 0; }

 private:
  struct Sum {
    std::int64_t values = 0;
    std::int64_t ns = 0;
  };
  std::size_t draw();

  std::vector<Sum> sums_;  // of each candidate
  std::uint64_t state_;
  std::size_t last_;  // the candidate before; at first none
  CallPlan call_plan_;
};

}  // namespace gatherbench::policies
