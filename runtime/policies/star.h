// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "runtime/policies/policy.h"

namespace gatherbench::policies {

/// An algorithm of STAR-MPI's repository, and its group.
struct StarAlgorithm {
  std::string_view name;  ///< its label here
  std::size_t group;      ///< from 1 on
  /// The largest number of bytes that it is tried with: those that a rank sends to another, or
  /// those of a vector.
  std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();
  bool stands_in = false;  ///< it is tried where the one before it cannot run
};

/// Returns the repository of Faraj 2006, 4.3.1.1, in the groups of 4.3.1.3 and in that order:
/// twelve all-gathers, thirteen all-to-alls, twenty all-reduces. What takes a ring over the
/// switches takes the ring by rank where they are not known. Broadcasts and reductions, which he
/// does not list, are those of 4.1.1.1.
std::span<const StarAlgorithm> star_repository(
    const collectives::Collective& collective = collectives::allgather);

/// Returns the positions of the candidates that STAR-MPI tries, in its order.
std::vector<std::size_t> star_candidates(std::span<const Candidate> candidates);

/// STAR-MPI's selection (Faraj 2006, 4.3.1).
///
/// Measure_Select: each candidate runs `iterations` times in a row; its value is the least time,
/// and that of least value is used. With grouping, the first one of each group stands for it, and
/// the others of the best one's group follow; the best of all that were measured is used.
///
/// Monitor_Adapt: a period is delta * `iterations` calls, delta = 2 at first, of which the last
/// `iterations` are summed apart. While the period's mean is below 1.1 times the second-best value,
/// delta doubles, without bound. Else delta is 2 again, and if the last ones' mean is not below it
/// either, the period's mean becomes the value of the candidate in use, and the best one is used
/// now; one whose group has members without value has these measured first. (By the text of
/// 4.3.1.3; its listing, 4.24, resets delta at another place.)
class Star final : public Policy {
 public:
  struct Parameters {
    std::int64_t iterations = 10;
    bool grouping = true;
    std::vector<std::size_t> tried = {};  ///< positions of candidates, in their turn; empty: all
  };
  static constexpr std::int64_t first_delta = 2;
  static constexpr std::int64_t slack_percent = 110;

  Star(const std::vector<Candidate>& candidates, Parameters parameters);

  CallPlan next(std::span<const std::int64_t> times_ns) override;
  [[nodiscard]] bool may_take(std::size_t candidate) const override;
  /// Returns the best candidate so far; at first, the one that is tried first.
  [[nodiscard]] std::size_t leader() const override { return leader_; }
  [[nodiscard]] std::vector<Score> scores() const override;
  /// Returns what the calls took, while candidates were measured, over the value of the candidate
  /// that was best then.
  [[nodiscard]] std::int64_t excess_ns() const override { return excess_ns_; }

  [[nodiscard]] std::int64_t delta() const { return delta_; }

 private:
  struct Value {
    std::size_t candidate;
    std::int64_t ns;
  };

  void select(std::span<const std::int64_t> times);
  void adapt(std::int64_t before_last_ns, std::int64_t last_ns);
  void choose();
  [[nodiscard]] std::vector<std::size_t> unmeasured_beside(std::size_t candidate) const;
  [[nodiscard]] bool is_measured(std::size_t candidate) const;

  Parameters parameters_;           // `tried` has all that are tried
  std::vector<std::size_t> group_;  // of each candidate
  std::vector<std::size_t> queue_;  // being measured; empty: nothing is, the leader is monitored
  std::vector<Value> values_;       // the best one first
  std::size_t leader_;
  std::int64_t delta_ = first_delta;
  std::int64_t excess_ns_ = 0;
  bool has_begun_ = false;
};

}  // namespace gatherbench::policies
