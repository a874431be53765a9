// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/selection/progress.h"

#include <algorithm>
#include <utility>

namespace gatherbench::selection {

bool do_all_wait(const collectives::Collective& collective,
                 std::span<const std::int64_t> block_bytes) {
  return !collective.has_root &&
         std::ranges::find(block_bytes, std::int64_t{0}) == block_bytes.end();
}

void Progress::begin(policies::CallPlan call_plan) {
  call_plan_ = std::move(call_plan);
  phase_ = 0;
  call_ = 0;
  taken_.clear();
}

bool Progress::is_timed() const { return call_plan_[phase_].is_timed(call_); }

std::int64_t Progress::quiet_calls() const {
  const policies::Phase& phase = call_plan_[phase_];
  return std::min(phase.next_timed(call_), phase.calls - 1) - call_;
}

void Progress::add(const Taken& taken) {
  const policies::Phase& phase = call_plan_[phase_];
  if (phase.timing == policies::Timing::summed) {
    if (call_ == 0) taken_.emplace_back();
    taken_.back().exit_ns += taken.exit_ns - taken.arrival_ns;
  } else if (is_timed()) {
    taken_.push_back(taken);
    if (call_ == 0) taken_.back().former_exit_ns.reset();
  }
  if (++call_ == phase.calls) {
    ++phase_;
    call_ = 0;
  }
}

}  // namespace gatherbench::selection
