// SPDX-License-Identifier: BSD-3-Clause
//
// What comes next, from what was seen and what may be spent.
#include <algorithm>

#include "runtime/policies/agstar.h"
#include "runtime/policies/percent.h"

namespace gatherbench::policies {

Wide Agstar::debt() const {
  return 1000 * (Wide{twice_excess_} + twice_owed_) - Wide{budget_permille_} * twice_spent_;
}

bool Agstar::in_debt(std::int64_t twice_more) const { return debt() + Wide{1000} * twice_more > 0; }

bool Agstar::duel_is_due() const {
  if (is_proven_) return false;
  if (!series_[0].empty() && !is_below(twice_time(leader_), certain_percent, twice_time(0))) {
    return true;
  }
  const std::int64_t twice_more = series_[0].empty() ? 0 : twice_time(0) - twice_time(leader_);
  return !in_debt(duel_run * std::max(std::int64_t{0}, twice_more));
}

void Agstar::plan() {
  const bool has_begun = kind_ != Kind::warm && kind_ != Kind::pay;
  if (!has_begun && leader_ != 0 && in_debt()) {
    plan_pay();
  } else if (duel_is_due()) {
    plan_duel();
  } else if (alive_.empty()) {
    plan_window();
  } else if (in_debt()) {
    plan_wait();
  } else {
    plan_round();
  }
}

void Agstar::plan_round() {
  call_plan_.clear();
  for (const std::size_t each : alive_) call_plan_.push_back({each, run, Timing::each});
  call_plan_.push_back({leader_, run, Timing::each});
  kind_ = Kind::round;
}

void Agstar::plan_duel() {
  call_plan_ = {{0, duel_run, Timing::each}, {leader_, duel_run, Timing::each}};
  kind_ = Kind::duel;
}

std::int64_t Agstar::calls_that_pay(std::size_t candidate) const {
  if (budget_permille_ == 0) return longest_window;
  // The agreement that ends the calls is part of the debt, or there would be one for ever.
  const Wide owed = debt() + Wide{2000} * agreement_ns_;
  const Wide calls = owed / (Wide{budget_permille_} * twice_call(candidate)) + 1;
  const std::int64_t most = std::max(longest_window, calls_that_pay_an_agreement());
  return static_cast<std::int64_t>(std::min<Wide>(calls, most));
}

std::int64_t Agstar::calls_that_pay_an_agreement() const {
  if (budget_permille_ == 0) return longest_window;
  const Wide share = Wide{budget_permille_} * twice_call(leader_);
  const Wide calls = Wide{1000} * agreements_share * 2 * agreement_ns_ / share;
  return static_cast<std::int64_t>(std::min<Wide>(calls, longest_of_all));
}

std::size_t Agstar::waiting_candidate() const {
  if (trial_cost_) return leader_;
  std::optional<std::size_t> best;
  for (const std::size_t each : alive_) {
    if (series_[each].empty()) continue;
    if (!best || twice_time(each) < twice_time(*best)) best = each;
  }
  const bool looks_better = best && !exceeds(twice_time(*best), 90, twice_time(leader_));
  return looks_better ? *best : leader_;
}

void Agstar::plan_wait() {
  const std::size_t who = waiting_candidate();
  const std::int64_t calls = calls_that_pay(leader_);
  call_plan_ = {{who, who == leader_ ? calls : std::min(calls, longest_trial), Timing::sampled}};
  kind_ = Kind::wait;
}

void Agstar::plan_pay() {
  call_plan_ = {{0, calls_that_pay(0), Timing::sampled}};
  kind_ = Kind::pay;
}

void Agstar::plan_window() {
  if (kind_ != Kind::window) {
    twice_reference_.reset();
    slower_windows_ = 0;
    window_ = first_window;
  }
  call_plan_ = {{leader_, std::max(window_, calls_that_pay_an_agreement()), Timing::sampled}};
  kind_ = Kind::window;
}

}  // namespace gatherbench::policies
