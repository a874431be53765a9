// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/policies/policy.h"
#include "runtime/policies/short_calls.h"
#include "runtime/selection/agreement.h"

namespace gatherbench::star {

/// The policy of AGSTAR=observe: all calls are the MPI library's own, and some of them are timed.
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

/// The settings that a course depends on.
struct Rules {
  bool weighs_times = true;  ///< The policy chooses by how long calls took.
  /// Calls shorter than this stay with the MPI library; none: as policies::worth_of_trying says.
  std::optional<std::int64_t> least_ns = {};
};

/// The course of the calls of one key from agreement to agreement: which plan comes next, or that
/// all further calls are passed on. It has no clock and makes no MPI call, and it decides by
/// nothing but what the ranks agreed on, so all of them decide the same.
class Course {
 public:
  explicit Course(Rules rules) : rules_(rules) {}

  /// Begins, or begins anew with other candidates. What calls took so far stays counted.
  void begin(std::unique_ptr<policies::Policy> policy) { policy_ = std::move(policy); }
  [[nodiscard]] bool has_begun() const { return policy_ != nullptr; }
  [[nodiscard]] policies::Policy& policy() const { return *policy_; }

  /// The knowledge of the ranks when a call plan is done.
  struct Told {
    policies::CallPlan done = {};
    std::optional<selection::Agreed> agreed = {};  ///< None: no call of the plan was timed.
    const policies::Policy* learnt =
        nullptr;  ///< Where `agreed` says that all know it, it is used.
    bool with_gaps = false;
    bool may_copy = false;  ///< Some candidate copies within a node.
  };
  struct Decision {
    std::optional<policies::CallPlan> next;  ///< None: all further calls are passed on.
    std::string why;                         ///< It is for the log, and mostly empty.
  };
  Decision decide(const Told& told);

  /// Returns whether the calls are so short that only copies are worth trying, once calls have paid
  /// for it.
  [[nodiscard]] bool is_short() const { return is_short_; }
  [[nodiscard]] std::int64_t agreements() const { return agreements_; }
  /// Returns the time in calls, in ns, as far as they were timed.
  [[nodiscard]] std::int64_t spent_ns() const { return spent_ns_; }

 private:
  [[nodiscard]] policies::Worth worth_of_trying(const Told& told) const;

  Rules rules_;
  std::unique_ptr<policies::Policy> policy_;
  bool is_short_ = false;
  std::int64_t agreements_ = 0;
  std::int64_t spent_ns_ = 0;
};

}  // namespace gatherbench::star
