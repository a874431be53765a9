// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>

#include "runtime/policies/policy.h"

namespace gatherbench::star {

/// AGSTAR=observe: the MPI library's own, of which some calls are timed.
class Observe final : public policies::Policy {
 public:
  policies::CallPlan next(std::span<const std::int64_t> times_ns) override {
    for (const std::int64_t each : times_ns) sum_ns_ += each;
    values_ += static_cast<std::int64_t>(times_ns.size());
    calls_ = std::min<std::int64_t>(2 * calls_, 4096);
    return {{0, calls_, policies::Timing::sampled}};
  }
  [[nodiscard]] std::size_t leader() const override { return 0; }
  [[nodiscard]] std::vector<policies::Score> scores() const override {
    return {{0, values_, values_ == 0 ? 0 : sum_ns_ / values_}};
  }
  [[nodiscard]] std::int64_t excess_ns() const override { return 0; }

 private:
  std::int64_t calls_ = 8;
  std::int64_t values_ = 0;
  std::int64_t sum_ns_ = 0;
};

}  // namespace gatherbench::star
