// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "runtime/policies/policy.h"

namespace gatherbench::policies {

/// The same candidate for good; nothing is timed.
class Fixed final : public Policy {
 public:
  explicit Fixed(std::size_t candidate) : candidate_(candidate) {}

  CallPlan next(std::span<const std::int64_t> times_ns) override;
  [[nodiscard]] bool may_take(std::size_t candidate) const override {
    return candidate == candidate_;
  }
  [[nodiscard]] std::size_t leader() const override { return candidate_; }
  [[nodiscard]] std::vector<Score> scores() const override { return {}; }
  [[nodiscard]] std::int64_t excess_ns() const override { return 0; }

 private:
  std::size_t candidate_;
};

}  // namespace gatherbench::policies
