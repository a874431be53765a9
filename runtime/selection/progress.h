// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "runtime/policies/policy.h"

namespace gatherbench::selection {

/// Returns true if no rank leaves such a call before all have come: none has an empty block, and
/// there is no root, which waits for nobody or for whom nobody waits.
[[nodiscard]] bool do_all_wait(const collectives::Collective& collective,
                               std::span<const std::int64_t> block_bytes);

/// A time as one rank has it, by the common clock if there is one, else by its own.
struct Taken {
  std::int64_t arrival_ns = 0;
  std::int64_t exit_ns = 0;
  /// True if nobody leaves the call before all have come, so that it can count from then on. False
  /// where times of several calls are added up, and where a rank has nothing to wait for.
  bool from_last_arrival = false;
  /// The exit of the call before, if it was of the same run, and no other call that is chosen for
  /// came in between.
  std::optional<std::int64_t> former_exit_ns = {};
};

/// The position of calls in a call plan.
class Progress {
 public:
  void begin(policies::CallPlan call_plan);

  [[nodiscard]] bool is_done() const { return phase_ == call_plan_.size(); }
  /// Returns the candidate of the next call.
  [[nodiscard]] std::size_t candidate() const { return call_plan_[phase_].candidate; }
  [[nodiscard]] bool is_timed() const;
  /// Returns the number of next calls of which nothing is to be noted: none of them is timed, and
  /// another call of their phase follows them.
  [[nodiscard]] std::int64_t quiet_calls() const;
  /// Goes on as if so many of those calls were done.
  void skip(std::int64_t calls) { call_ += calls; }

  /// Notes that the next call is done. The times are those of a call that is timed. The call before
  /// a run was of another run, so its exit is forgotten.
  void add(const Taken& taken);

  [[nodiscard]] const policies::CallPlan& call_plan() const { return call_plan_; }
  /// Returns the times of the call plan, once it is done: as many as its phases have.
  [[nodiscard]] std::span<const Taken> taken() const { return taken_; }

 private:
  policies::CallPlan call_plan_;
  std::size_t phase_ = 0;
  std::int64_t call_ = 0;  // of the phase
  std::vector<Taken> taken_;
};

}  // namespace gatherbench::selection
