// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/course.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gatherbench::star {
namespace {

std::int64_t median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Calls `visit` with each phase of the plan and its times.
void for_each_phase(const policies::CallPlan& plan, std::span<const std::int64_t> times_ns,
                    const auto& visit) {
  std::size_t next = 0;
  for (const policies::Phase& phase : plan) {
    const auto count = static_cast<std::size_t>(phase.times());
    visit(phase, times_ns.subspan(next, count));
    next += count;
  }
}

/// Returns how long the calls of the plan took together.
std::int64_t sum_of_calls(const policies::CallPlan& plan, std::span<const std::int64_t> times_ns) {
  std::int64_t sum = 0;
  for_each_phase(plan, times_ns, [&](const policies::Phase& phase, auto own) {
    if (phase.timing == policies::Timing::sampled) {
      sum += phase.calls * median({own.begin(), own.end()});
    } else {
      for (const std::int64_t time : own) sum += time;
    }
  });
  return sum;
}

/// Returns what a call of the library's own took; none: none of its calls was timed alone.
std::optional<std::int64_t> native_ns(const policies::CallPlan& plan,
                                      std::span<const std::int64_t> times_ns) {
  std::vector<std::int64_t> native;
  for_each_phase(plan, times_ns, [&](const policies::Phase& phase, auto own) {
    if (phase.candidate == 0 && phase.timing != policies::Timing::summed) {
      native.insert(native.end(), own.begin(), own.end());
    }
  });
  if (native.empty()) return std::nullopt;
  return median(std::move(native));
}

}  // namespace

Course::Decision Course::decide(const Told& told) {
  Decision decision;
  std::span<const std::int64_t> times_ns;
  if (told.agreed) {
    const selection::Agreed& agreed = *told.agreed;
    times_ns = agreed.times_ns;
    if (agreed.all_know) {
      policy_ = told.learnt->successor(agreed.unpaid_ns);
      policy_->next({});  // as the one that was made for this communicator began
      decision.why = "; goes on from another communicator";
    }
    if (agreements_ > 0) policy_->count_agreement(agreed.former_ns);
    if (told.with_gaps) policy_->heed_gaps(agreed.gaps_ns);
    ++agreements_;
    spent_ns_ += sum_of_calls(told.done, times_ns);
    if (agreed.any_objects) {
      decision.why += "; passed on: buffers in a device";
      return decision;
    }
  }
  using policies::Worth;
  // The first calls are cold: short ones are judged again.
  const bool is_open = agreements_ == 1 || is_short_;
  const Worth worth = is_open ? worth_of_trying(told) : Worth::now;
  if (worth == Worth::nothing) {
    decision.why = "; passed on: too short";
    return decision;
  }
  if (worth == Worth::later && !is_short_) {
    is_short_ = true;
    policy_ = policy_->successor(policies::set_up_ns);
    policy_->next({});
    decision.why += "; short: pays first";
  }
  decision.next = policy_->next(times_ns);
  return decision;
}

policies::Worth Course::worth_of_trying(const Told& told) const {
  if (!rules_.weighs_times || !told.agreed) return policies::Worth::now;
  const std::optional<std::int64_t> took_ns = native_ns(told.done, told.agreed->times_ns);
  if (!took_ns) return policies::Worth::now;
  return policies::worth_of_trying(*took_ns, rules_.least_ns, told.may_copy);
}

}  // namespace gatherbench::star
