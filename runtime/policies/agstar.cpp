// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/policies/agstar.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace gatherbench::policies {
namespace {

template <typename Value>
void append(std::vector<Value>& values, Value value, std::size_t most) {
  if (values.size() == most) values.erase(values.begin());
  values.push_back(value);
}

}  // namespace

std::int64_t twice_median(std::span<const std::int64_t> values) {
  std::vector<std::int64_t> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t half = sorted.size() / 2;
  return sorted[half] + sorted[sorted.size() % 2 == 0 ? half - 1 : half];
}

std::int64_t spread(std::span<const std::int64_t> values) {
  std::vector<std::int64_t> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t left_out = sorted.size() > 4 ? sorted.size() / 4 : 0;
  return sorted[sorted.size() - 1 - left_out] - sorted[left_out];
}

void Series::add(std::int64_t ns) {
  ++count_;
  append(values_, ns, most_values);
}

void Series::add(std::span<const std::int64_t> times_ns, std::int64_t round) {
  std::int64_t sum = 0;
  for (const std::int64_t time : times_ns) {
    add(time);
    sum += time;
  }
  append(rounds_, {round, std::ssize(times_ns), sum}, most_rounds);
}

void Series::add_gap(std::int64_t ns) { append(gaps_, ns, most_values); }

void Series::clear() { *this = {}; }

Match match(const Series& a, const Series& b, std::int64_t more_ns) {
  Match found;
  for (const Series::InRound& one : a.rounds()) {
    const auto other = std::ranges::find(b.rounds(), one.round, &Series::InRound::round);
    if (other == b.rounds().end()) continue;
    ++found.rounds;
    found.won += one.ns + one.calls * more_ns < other->ns ? 1 : 0;
  }
  return found;
}

namespace {

/// Returns the entry for so many values; the last one holds for more.
template <std::size_t size>
std::int64_t by_values(const std::array<std::int64_t, size>& table, std::int64_t values) {
  return table[static_cast<std::size_t>(
      std::min<std::int64_t>(values, static_cast<std::int64_t>(size)) - 1)];
}
/// Returns the percentage of the leader's time above which a candidate of so many values is
/// dropped.
std::int64_t drop_percent(std::int64_t values) {
  constexpr std::array<std::int64_t, 5> table{200, 150, 125, 125, Agstar::slack_percent};
  return by_values(table, values);
}
/// Returns the percentage of the leader's time below which a candidate of so many values may lead.
std::int64_t lead_percent(std::int64_t values) {
  constexpr std::array<std::int64_t, 5> table{50, 67, 80, 80, Agstar::tie_percent};
  return by_values(table, values);
}
/// Returns how many of so many rounds a new leader may have lost.
std::int64_t losses_allowed(std::int64_t rounds) { return rounds < 5 ? 0 : (rounds - 5) / 2; }

std::vector<std::size_t> worth_trying(const std::vector<Candidate>& candidates) {
  std::optional<std::int64_t> least;
  for (const Candidate& each : candidates) {
    if (each.prior_ns && (!least || *each.prior_ns < *least)) least = each.prior_ns;
  }
  std::vector<std::size_t> found(candidates.size() - 1);
  std::iota(found.begin(), found.end(), std::size_t{1});
  if (!least) return found;
  const auto expected = [&](std::size_t i) { return candidates[i].prior_ns.value_or(0); };
  std::erase_if(found,
                [&](std::size_t i) { return exceeds(expected(i), Agstar::prune_percent, *least); });
  std::ranges::stable_sort(found, {}, expected);
  if (found.size() > Agstar::most_candidates) found.resize(Agstar::most_candidates);
  return found;
}

/// Returns twice the time of all calls of a phase. If only some were timed, each counts as their
/// median.
std::int64_t twice_total(const Phase& phase, std::span<const std::int64_t> times) {
  if (phase.calls > phase.times()) return phase.calls * twice_median(times);
  return 2 * std::accumulate(times.begin(), times.end(), std::int64_t{0});
}

/// Returns what was measured in a run, times or gaps, without the first call, which settles.
std::span<const std::int64_t> settled(std::span<const std::int64_t> times) {
  return times.subspan(1);
}

}  // namespace

Agstar::Agstar(const std::vector<Candidate>& candidates, std::int64_t budget_permille)
    : budget_permille_(budget_permille),
      tried_(worth_trying(candidates)),
      series_(candidates.size()),
      bills_(candidates.size()),
      alive_(tried_) {}

CallPlan Agstar::next(std::span<const std::int64_t> times_ns) {
  if (kind_ == Kind::start) {
    kind_ = Kind::warm;
    call_plan_ = {{0, warm_calls, Timing::each}};
    return call_plan_;
  }
  std::vector<std::int64_t> times(times_ns.begin(), times_ns.end());
  for (std::int64_t& time : times) time = std::max(time, std::int64_t{1});
  finish(times);
  gaps_.clear();
  plan();
  return call_plan_;
}

void Agstar::heed_gaps(std::span<const std::int64_t> gaps_ns) {
  gaps_.assign(gaps_ns.begin(), gaps_ns.end());
}

void Agstar::count_agreement(std::int64_t ns) {
  agreement_ns_ = std::max(ns, std::int64_t{0});
  twice_excess_ += 2 * agreement_ns_;
}

std::unique_ptr<Policy> Agstar::successor(std::int64_t unpaid_ns) const {
  auto next = std::make_unique<Agstar>(*this);
  constexpr std::int64_t most_owed = std::int64_t{1} << 60;
  const Wide owed = (debt() + 999) / 1000 + 2 * std::max(unpaid_ns, std::int64_t{0});
  next->twice_owed_ = static_cast<std::int64_t>(std::clamp<Wide>(owed, 0, most_owed));
  next->twice_excess_ = 0;
  next->twice_spent_ = 0;
  next->kind_ = Kind::start;
  return next;
}

std::vector<Score> Agstar::scores() const {
  std::vector<Score> found;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    const Series& series = series_[i];
    found.push_back({i, series.count(), series.empty() ? 0 : twice_time(i) / 2});
  }
  return found;
}

void Agstar::make_out_bills() {
  bills_.assign(bills_.size(), 0);
  if (gaps_.empty()) return;
  bool all_known = true;
  for (std::size_t at = 0; const Phase& phase : call_plan_) {
    const auto calls = static_cast<std::size_t>(phase.calls);
    for (const std::int64_t gap :
         settled(std::span<const std::int64_t>(gaps_).subspan(at, calls))) {
      all_known = all_known && gap != no_gap;
      series_[phase.candidate].add_gap(gap);
    }
    at += calls;
  }
  if (!all_known) {
    for (Series& series : series_) series.clear_gaps();
    return;
  }
  const Series* least = nullptr;
  std::vector<std::int64_t> spreads;
  for (const Series& series : series_) {
    if (series.gaps().empty()) continue;
    spreads.push_back(spread(series.gaps()));
    if (least == nullptr || twice_median(series.gaps()) < twice_median(least->gaps())) {
      least = &series;
    }
  }
  if (least == nullptr ||
      exceeds(twice_median(least->gaps()), 100 * longest_gap, least->twice_median())) {
    return;
  }
  const auto middle = spreads.begin() + std::ssize(spreads) / 2;
  std::ranges::nth_element(spreads, middle);
  for (std::size_t i = 0; i < series_.size(); ++i) bills_[i] = bill_of(series_[i], *least, *middle);
}

std::int64_t Agstar::bill_of(const Series& series, const Series& least,
                             std::int64_t common_spread) {
  if (series.gaps().empty()) return 0;
  const std::int64_t bill = (twice_median(series.gaps()) - twice_median(least.gaps())) / 2;
  const std::int64_t noise = std::max({common_spread, spread(series.gaps()), spread(least.gaps())});
  const bool are_few = std::min(series.gaps().size(), least.gaps().size()) < few;
  return bill > (are_few ? certain_of_few : certain_gap) * noise ? bill : 0;
}

void Agstar::finish(std::span<const std::int64_t> times) {
  for (std::size_t at = 0; const Phase& phase : call_plan_) {
    const auto count = static_cast<std::size_t>(phase.times());
    twice_spent_ += twice_total(phase, times.subspan(at, count));
    at += count;
  }
  switch (kind_) {
    case Kind::start:
    case Kind::pay:
      break;
    case Kind::warm:
      for (const std::int64_t time : settled(times)) series_[0].add(time);
      make_out_bills();
      break;
    case Kind::round:
      finish_round(times);
      break;
    case Kind::duel:
      finish_duel(times);
      break;
    case Kind::wait:
      finish_wait(times);
      break;
    case Kind::window:
      finish_window(times);
      break;
  }
}

void Agstar::count_runs(std::span<const std::int64_t> times, std::int64_t twice_leader_time) {
  for (std::size_t at = 0; const Phase& phase : call_plan_) {
    const auto calls = static_cast<std::size_t>(phase.calls);
    const std::size_t counted = phase.candidate == leader_ ? 1 : calls;
    for (const std::int64_t time : times.subspan(at, counted)) {
      const std::int64_t twice_time = 2 * (time + bills_[phase.candidate]);
      twice_excess_ += std::max(std::int64_t{0}, twice_time - twice_leader_time);
    }
    at += calls;
  }
}

void Agstar::finish_round(std::span<const std::int64_t> times) {
  ++rounds_;
  trial_cost_ = false;
  for (std::size_t at = 0; const Phase& phase : call_plan_) {
    const auto calls = static_cast<std::size_t>(phase.calls);
    const auto own = times.subspan(at, calls);
    series_[phase.candidate].add(calls == 1 ? own : settled(own), rounds_);
    at += calls;
  }
  make_out_bills();
  count_runs(times, twice_time(leader_));
  drop_slow();
  drop_beaten_and_elect();
}

void Agstar::finish_duel(std::span<const std::int64_t> times) {
  is_proven_ = true;
  const auto of_native = settled(times.first(duel_run));
  const auto of_leader = settled(times.last(duel_run));
  for (const std::int64_t time : of_native) series_[0].add(time);
  for (const std::int64_t time : of_leader) series_[leader_].add(time);
  make_out_bills();
  const std::int64_t twice_native = twice_time(0, of_native);
  const std::int64_t twice_leader = twice_time(leader_, of_leader);
  const bool stays = is_below(twice_leader, tie_percent, twice_native);
  if (!stays) {
    leader_ = 0;
    std::erase(alive_, std::size_t{0});
  }
  count_runs(times, stays ? twice_leader : twice_native);
  drop_slow();
}

void Agstar::finish_wait(std::span<const std::int64_t> times) {
  const Phase& phase = call_plan_.front();
  if (phase.candidate == leader_) {
    if (phase.calls >= first_window) {
      back_to_native_if_slower(phase.calls, twice_time(leader_, times));
    }
    return;
  }
  const std::int64_t base = twice_time(leader_);
  const std::int64_t twice_bills = phase.calls * 2 * bills_[phase.candidate];
  const std::int64_t cost = twice_total(phase, times) + twice_bills - phase.calls * base;
  if (cost > 0) {
    twice_excess_ += cost;
    trial_cost_ = true;
  }
  const auto counted = settled(times);
  for (const std::int64_t time : counted) series_[phase.candidate].add(time);
  if (counted.size() >= 5 && is_below(twice_time(phase.candidate, counted), tie_percent, base)) {
    elect(phase.candidate);
  } else {
    drop_slow();
  }
}

bool Agstar::back_to_native_if_slower(std::int64_t calls, std::int64_t twice_leader_time) {
  if (leader_ == 0 || series_[0].empty()) return false;
  if (!exceeds(twice_leader_time, slack_percent, twice_time(0))) return false;
  twice_excess_ += calls * (twice_leader_time - twice_time(0));
  leader_ = 0;
  is_proven_ = true;
  for (const std::size_t each : tried_) series_[each].clear();
  alive_ = tried_;
  return true;
}

void Agstar::finish_window(std::span<const std::int64_t> times) {
  const std::int64_t twice_time_now = twice_time(leader_, times);
  if (back_to_native_if_slower(call_plan_.front().calls, twice_time_now)) return;
  if (twice_reference_ && exceeds(twice_time_now, slack_percent, *twice_reference_)) {
    if (++slower_windows_ == 2) begin_anew(twice_median(times) / 2);
    return;  // the next window, if it comes to that, is as long
  }
  if (!twice_reference_) twice_reference_ = twice_time_now;
  slower_windows_ = 0;
  window_ = std::min(longest_window, 2 * window_);
}

void Agstar::begin_anew(std::int64_t leader_ns) {
  for (Series& series : series_) series.clear();
  bills_.assign(bills_.size(), 0);
  series_[leader_].add(leader_ns);
  alive_ = tried_;
  alive_.insert(alive_.begin(), 0);
  std::erase(alive_, leader_);
  twice_reference_.reset();
  slower_windows_ = 0;
  window_ = first_window;
}

void Agstar::drop_slow() {
  const std::int64_t base = twice_time(leader_);
  std::erase_if(alive_, [&](std::size_t each) {
    const Series& series = series_[each];
    return !series.empty() && exceeds(twice_time(each), drop_percent(series.count()), base);
  });
}

void Agstar::drop_beaten_and_elect() {
  const std::int64_t base = twice_time(leader_);
  std::optional<std::size_t> best;
  std::erase_if(alive_, [&](std::size_t each) {
    const std::int64_t more_ns = bills_[each] - bills_[leader_];
    const auto [rounds, won] = match(series_[each], series_[leader_], more_ns);
    const bool faster = is_below(twice_time(each), lead_percent(series_[each].count()), base);
    if (faster && won >= rounds - losses_allowed(rounds)) {
      if (!best || twice_time(each) < twice_time(*best)) best = each;
      return false;
    }
    // Nine rounds decide; what is left is a tie, and a tie changes nothing.
    return rounds >= static_cast<std::int64_t>(Series::most_rounds);
  });
  if (best) elect(*best);
}

void Agstar::elect(std::size_t candidate) {
  std::erase(alive_, candidate);
  alive_.push_back(leader_);
  leader_ = candidate;
  is_proven_ = candidate == 0;
  is_unseen_ = true;
  drop_slow();
}

// The functions from here on plan what comes next, from what was seen and what may be spent.

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
  const std::int64_t calls = twice_call(leader_) < 2 * long_call_ns ? run : 1;
  call_plan_.clear();
  for (const std::size_t each : alive_) call_plan_.push_back({each, calls, Timing::each});
  call_plan_.push_back({leader_, calls, Timing::each});
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

std::int64_t Agstar::plain_calls(std::int64_t calls) {
  if (is_proven_ || !is_unseen_) return calls;
  is_unseen_ = false;
  return std::min(calls, first_plain_calls);
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
  const std::int64_t most = who == leader_ ? plain_calls(calls) : std::min(calls, longest_trial);
  call_plan_ = {{who, most, Timing::sampled}};
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
  const std::int64_t calls = std::max(window_, calls_that_pay_an_agreement());
  call_plan_ = {{leader_, plain_calls(calls), Timing::sampled}};
  kind_ = Kind::window;
}

}  // namespace gatherbench::policies
