// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/session.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "formats/text/input_error.h"
#include "runtime/mpi/rank_model.h"
#include "runtime/selection/agreement.h"
#include "runtime/selection/candidates.h"
#include "runtime/star/call/packed_result.h"
#include "runtime/star/observe.h"

namespace gatherbench::star {
namespace {

std::int64_t median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::unique_ptr<policies::Policy> make_policy(const Settings& settings, std::size_t number,
                                              std::vector<policies::Candidate> candidates) {
  if (settings.mode == Mode::observe) return std::make_unique<Observe>();
  return policies::make_policy(settings.policy_of(number), std::move(candidates),
                               settings.budget_permille, "AGSTAR_POLICY");
}

}  // namespace

Session::Session(const Key& key, std::size_t number, World& world, DuplicateComm& duplicate,
                 const GatherCall& call, std::span<const std::int64_t> block_bytes)
    : key_(key),
      number_(number),
      total_bytes_(std::accumulate(block_bytes.begin(), block_bytes.end(), std::int64_t{})),
      world_(world),
      duplicate_(duplicate),
      repertoire_(duplicate),
      base_ns_(world.start_ns) {
  if (!begin(block_bytes)) {
    closed_ = true;
    return;
  }
  const std::int64_t start_ns = mpi::steady_ns();
  install(policy_->next({}), call, block_bytes);
  overheads_.selecting.ns = mpi::steady_ns() - start_ns;
}

bool Session::begin(std::span<const std::int64_t> block_bytes) {
  selection::Candidates found = find_candidates(block_bytes);
  // A name that AGSTAR_POLICY=fixed:NAME has, and that these ranks cannot run; nothing to choose.
  try {
    policy_ = make_policy(world_.settings, number_, std::move(found.expected));
  } catch (const text::InputError&) {
    return false;
  }
  repertoire_.begin(std::move(found.choices));
  progress_.begin({});  // what was called before had other numbers
  return true;
}

selection::Candidates Session::find_candidates(std::span<const std::int64_t> block_bytes) const {
  const Settings& settings = world_.settings;
  if (settings.mode == Mode::observe) {
    const auto native = algorithms::choice_of(*algorithms::find_algorithm("native"));
    return {{native}, {{native.label(), 0, {}}}};
  }
  selection::Search search = world_.search();
  search.windows = !duplicate_.is_without_windows();
  if (!world_.profile || !settings.kind().is_bounded) {
    return selection::find_candidates(search, duplicate_.placement(), block_bytes, duplicate_.of());
  }
  const policies::Known known = policies::find_known(*world_.profile, profile_key(), world_.today);
  if (!known.rows.empty()) search.bounded = false;  // all that the profile may name
  selection::Candidates found =
      selection::find_candidates(search, duplicate_.placement(), block_bytes, duplicate_.of());
  if (known.rows.empty()) return found;
  found.expected = policies::expected_of(found.expected, known.rows);
  std::erase_if(found.choices, [&](const algorithms::Choice& choice) {
    return std::ranges::find(found.expected, choice.label(), &policies::Candidate::name) ==
           found.expected.end();
  });
  return found;
}

policies::ProfileKey Session::profile_key() const {
  return policies::profile_key(key_.unequal ? "allgatherv" : "allgather", duplicate_.placement(),
                               duplicate_.ranks(), total_bytes_);
}

std::vector<policies::ProfileRow> Session::profile_rows() const {
  std::vector<policies::ProfileRow> rows;
  if (closed_ || policy_ == nullptr) return rows;
  for (const policies::Score& score : policy_->scores()) {
    if (score.values == 0) continue;
    rows.push_back({profile_key(), repertoire_.choices()[score.candidate].label(), score.values,
                    std::max<std::int64_t>(1, score.time_ns), world_.today});
  }
  return rows;
}

bool Session::run(const GatherCall& call, std::span<const std::int64_t> block_bytes) {
  const PackedResult packed(call, block_bytes, *world_.types, duplicate_.rank(), duplicate_.get());
  if (!repertoire_.run(progress_.candidate(), block_bytes, packed.data())) return false;
  packed.finish();
  return true;
}

void Session::done(const GatherCall& call, std::span<const std::int64_t> block_bytes,
                   std::int64_t arrival_ns, std::int64_t exit_ns) {
  ++calls_;
  const bool all_wait = !key_.unequal || std::ranges::find(block_bytes, 0) == block_bytes.end();
  // Another session may try algorithms in between, so that the gap is not the program's alone.
  if (world_.last_session.load(std::memory_order_relaxed) != this) {
    world_.last_session.store(this, std::memory_order_relaxed);
    last_exit_ns_.reset();
  }
  const bool is_timed = progress_.is_timed();
  const std::int64_t global_exit_ns = world_.clock.global_ns(exit_ns);
  progress_.add({world_.clock.global_ns(arrival_ns), global_exit_ns, all_wait, last_exit_ns_});
  last_exit_ns_ = is_timed ? std::optional(global_exit_ns) : std::nullopt;
  if (progress_.is_done()) agree(call, block_bytes);
}

void Session::agree(const GatherCall& call, std::span<const std::int64_t> block_bytes) {
  const std::int64_t start_ns = mpi::steady_ns();
  const policies::CallPlan done = progress_.call_plan();
  selection::Agreed agreed;
  std::string outcome;
  if (!progress_.taken().empty()) {
    const Learnt learnt = agreements_ == 0 ? find_learnt() : Learnt{};
    const std::int64_t known = learnt.policy == nullptr ? 0 : learnt.name();
    // Gaps are compared in plans of runs only.
    const bool with_gaps =
        done.front().timing == policies::Timing::each && world_.settings.kind().is_bounded;
    agreed = selection::agree_on_times(duplicate_.of(), duplicate_.ranks(), world_.clock,
                                       {progress_.taken(), base_ns_, duplicate_.proposed_id(),
                                        agreement_ns_, known, learnt.unpaid_ns, with_gaps});
    if (agreed.all_know) {
      policy_ = learnt.policy->successor(agreed.unpaid_ns);
      policy_->next({});  // as the one that was made for this communicator began
      outcome = "; goes on from another communicator";
    }
    if (agreements_ > 0) policy_->count_agreement(agreed.former_ns);
    if (with_gaps) policy_->heed_gaps(agreed.gaps_ns);
    duplicate_.set_id(agreed.id);
    base_ns_ = agreed.last_arrival_ns;
    ++agreements_;
    add_up(agreed.times_ns);
  }
  using policies::Worth;
  // The first calls are cold: short ones are judged again.
  const bool is_open = agreements_ == 1 || is_short_;
  const Worth worth = is_open ? worth_of_trying(agreed.times_ns) : Worth::now;
  if (worth == Worth::nothing) {
    log(agreed.times_ns, "; passed on: too short");
    close();
    return;
  }
  if (worth == Worth::later && !is_short_) {
    is_short_ = true;
    policy_ = policy_->successor(policies::set_up_ns);
    policy_->next({});
    outcome += "; short: pays first";
  }
  policies::CallPlan call_plan = policy_->next(agreed.times_ns);
  log(agreed.times_ns, outcome);
  keep_learnt();
  install(std::move(call_plan), call, block_bytes);
  agreement_ns_ = mpi::steady_ns() - start_ns;
  overheads_.add(done, agreement_ns_);
}

void Session::install(policies::CallPlan call_plan, const GatherCall& call,
                      std::span<const std::int64_t> block_bytes) {
  bool can_go_on = true;
  if (repertoire_.lacks_window(call_plan)) {
    can_go_on = !is_short_ && begin(block_bytes);  // anew, without
    if (can_go_on) call_plan = policy_->next({});
  }
  if (!can_go_on ||
      !repertoire_.prepare(call_plan, block_bytes, static_cast<std::byte*>(call.receive))) {
    log({}, "; passed on: refused");
    close();
    return;
  }
  progress_.begin(std::move(call_plan));
}

void Session::add_up(std::span<const std::int64_t> times_ns) {
  std::size_t next = 0;
  for (const policies::Phase& phase : progress_.call_plan()) {
    const auto count = static_cast<std::size_t>(phase.times());
    const auto own = times_ns.subspan(next, count);
    next += count;
    if (phase.timing == policies::Timing::sampled) {
      spent_ns_ += phase.calls * median({own.begin(), own.end()});
    } else {
      for (const std::int64_t time : own) spent_ns_ += time;
    }
  }
}

std::optional<std::int64_t> Session::native_ns(std::span<const std::int64_t> times_ns) const {
  std::vector<std::int64_t> native;
  std::size_t next = 0;
  for (const policies::Phase& phase : progress_.call_plan()) {
    const auto count = static_cast<std::size_t>(phase.times());
    if (phase.candidate == 0 && phase.timing != policies::Timing::summed) {
      const auto own = times_ns.subspan(next, count);
      native.insert(native.end(), own.begin(), own.end());
    }
    next += count;
  }
  if (native.empty()) return std::nullopt;
  return median(std::move(native));
}

policies::Worth Session::worth_of_trying(std::span<const std::int64_t> times_ns) const {
  const Settings& settings = world_.settings;
  const bool is_chosen = settings.kind().weighs_times && settings.mode != Mode::observe;
  const std::optional<std::int64_t> took_ns = is_chosen ? native_ns(times_ns) : std::nullopt;
  if (!took_ns) return policies::Worth::now;
  return policies::worth_of_trying(*took_ns, settings.least_ns,
                                   settings.kind().is_bounded && repertoire_.has_windows());
}

void Session::log(std::span<const std::int64_t> times_ns, std::string_view outcome) {
  if (!world_.log.is_open()) return;
  std::string line = std::to_string(duplicate_.id()) + " of " + std::to_string(duplicate_.ranks()) +
                     " ranks, " + key_.text() + ", after call " + std::to_string(calls_) + ":";
  for (const policies::Phase& phase : progress_.call_plan()) {
    line +=
        " " + repertoire_.choices()[phase.candidate].label() + " x" + std::to_string(phase.calls);
  }
  line += ';';
  for (const std::int64_t time : times_ns) line += " " + std::to_string(time);
  line += " ns; leads: " + repertoire_.choices()[policy_->leader()].label();
  world_.log.line(line.append(outcome));
}

std::int64_t Session::unpaid_ns() const {
  const std::size_t leader = policy_->leader();
  const std::int64_t leader_ns = policy_->scores()[leader].time_ns;
  std::int64_t sum = agreement_ns_;
  auto next = progress_.taken().begin();
  for (const policies::Phase& phase : progress_.call_plan()) {
    for (std::int64_t i = 0; i < phase.times() && next != progress_.taken().end(); ++i, ++next) {
      if (phase.candidate == leader) continue;
      sum += std::max<std::int64_t>(0, next->exit_ns - next->arrival_ns - leader_ns);
    }
  }
  return sum;
}

Learnt Session::find_learnt() const {
  Learnt found = world_.memory.find(duplicate_.world_ranks(), key_);
  return found.candidates == repertoire_.labels() ? found : Learnt{};
}

void Session::keep_learnt() {
  std::shared_ptr<const policies::Policy> policy = policy_->successor(0);
  if (policy == nullptr) return;
  world_.memory.keep({duplicate_.world_ranks(), key_, repertoire_.labels(), base_ns_, false, 0,
                      std::move(policy)});
}

void Session::close() {
  if (!closed_ && agreements_ > 0) {
    world_.memory.end(duplicate_.world_ranks(), key_, base_ns_, unpaid_ns());
  }
  closed_ = true;
  repertoire_.clear();
}

Account Session::account() const {
  Account account;
  account.calls = calls_;
  account.agreements = agreements_;
  account.spent_ns = spent_ns_;
  account.overheads = overheads_;
  account.algorithm = "native";
  if (policy_ == nullptr) return account;
  account.excess_ns = policy_->excess_ns();
  const std::size_t leader = closed_ ? 0 : policy_->leader();
  account.algorithm = repertoire_.choices()[leader].label();
  for (const policies::Score& score : policy_->scores()) {
    if (score.values == 0) continue;
    if (score.candidate == leader) account.time_ns = score.time_ns;
    if (score.candidate == 0) account.native_ns = score.time_ns;
  }
  return account;
}

}  // namespace gatherbench::star
