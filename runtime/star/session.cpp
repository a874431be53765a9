// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/session.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <set>
#include <utility>

#include "algorithms/collectives/collective.h"
#include "formats/text/input_error.h"
#include "runtime/device/loaded_drivers.h"
#include "runtime/mpi/plans/layout.h"
#include "runtime/mpi/rank_model.h"
#include "runtime/selection/agreement.h"
#include "runtime/selection/candidates.h"
#include "runtime/star/call/call.h"

namespace gatherbench::star {
namespace {

/// Returns the layout of all blocks of the collective.
mpi::Layout layout_of(const collectives::Collective& collective, int ranks,
                      std::span<const std::int64_t> block_bytes) {
  if (collective.gathers()) return mpi::Layout(block_bytes);
  return {collective.blocks(ranks), block_bytes.front()};
}

/// Returns the duplicate's placement, with the operation's root and the size of the elements that
/// it combines.
algorithms::Placement placement_of(const DuplicateComm& duplicate, const Operation& operation) {
  algorithms::Placement placement = duplicate.placement();
  placement.root = operation.root;
  placement.element_bytes = operation.reduction.element_bytes;
  return placement;
}

mpi::LoweredSchedule lower(const algorithms::Choice& choice, const DuplicateComm& duplicate,
                           const Operation& operation) {
  const int ranks = duplicate.ranks();
  const algorithms::Placement placement = placement_of(duplicate, operation);
  const mpi::Layout layout = layout_of(*operation.collective, ranks, operation.block_bytes);
  const selection::Task task(*operation.collective, placement, ranks, layout);
  algorithms::Problem problem = task.place(algorithms::problem_for(choice, ranks));
  problem.rank = duplicate.rank();
  return {algorithms::make_schedule(*choice.algorithm, problem), layout,
          part_of(*operation.collective, problem.rank, ranks, operation.root), operation.in_place,
          algorithms::form_of(choice, algorithms::Noncontiguous::pipelined)};
}

bool can_run(const algorithms::Choice& choice, const DuplicateComm& duplicate,
             const Operation& operation) {
  const algorithms::Placement placement = placement_of(duplicate, operation);
  const mpi::Layout layout =
      layout_of(*operation.collective, duplicate.ranks(), operation.block_bytes);
  return selection::can_run(
      choice, selection::Task(*operation.collective, placement, duplicate.ranks(), layout));
}

/// Returns whether the algorithm finds the rank's own data in the receive buffer. In a call that
/// gathers, the own block is put there before the algorithm runs.
bool is_run_in_place(const Call& call) { return call.collective->gathers() || call.is_in_place(); }

mpi::Reduction reduction_of(const Call& call) {
  if (!call.collective->combines) return {};
  return {call.op, call.receive_type, bytes_of(call.receive_type)};
}

Operation operation_of(const Call& call, std::span<const std::int64_t> block_bytes) {
  return {.collective = call.collective,
          .block_bytes = {block_bytes.begin(), block_bytes.end()},
          .in_place = is_run_in_place(call),
          .root = call.root,
          .reduction = reduction_of(call)};
}

bool goes_by_window(const algorithms::Choice& choice) {
  return choice.via == algorithms::Via::window;
}

}  // namespace

bool is_of(const Operation& operation, const Call& call,
           std::span<const std::int64_t> block_bytes) {
  return operation.in_place == is_run_in_place(call) && operation.root == call.root &&
         operation.reduction == reduction_of(call) &&
         std::ranges::equal(operation.block_bytes, block_bytes);
}

Prepared::Prepared(const algorithms::Choice& choice, const DuplicateComm& duplicate,
                   Operation operation, const Buffers& buffers)
    : operation_(std::move(operation)),
      lowered_(lower(choice, duplicate, operation_)),
      bound_(buffers),
      plan_(lowered_, buffers.send, buffers.receive, duplicate.get(), mpi::Memory::own,
            operation_.reduction, goes_by_window(choice) ? duplicate.window() : nullptr) {}

void Prepared::run(const Buffers& buffers) {
  if (buffers != bound_) plan_.bind(lowered_, buffers.send, buffers.receive);
  bound_ = buffers;
  plan_.run();
}

void Repertoire::begin(std::vector<algorithms::Choice> choices) {
  choices_ = std::move(choices);
  prepared_.clear();
  prepared_.resize(choices_.size());
  uses_.assign(choices_.size(), {});
}

std::vector<std::string> Repertoire::labels() const {
  std::vector<std::string> found;
  for (const algorithms::Choice& choice : choices_) found.push_back(choice.label());
  return found;
}

bool Repertoire::has_windows() const { return std::ranges::any_of(choices_, goes_by_window); }

bool Repertoire::lacks_window(const policies::CallPlan& call_plan) {
  const bool needs_one = std::ranges::any_of(call_plan, [&](const policies::Phase& phase) {
    return goes_by_window(choices_[phase.candidate]);
  });
  return needs_one && duplicate_.make() && !duplicate_.make_window();
}

bool Repertoire::prepare(const policies::CallPlan& call_plan, const Operation& operation,
                         const Buffers& buffers, bool objects) {
  std::set<std::size_t> missing;
  for (const policies::Phase& phase : call_plan) {
    if (phase.candidate == 0 || prepared_[phase.candidate] != nullptr) continue;
    missing.insert(phase.candidate);
  }
  if (missing.empty()) return true;
  if (!duplicate_.make()) return false;
  bool failed = objects;
  try {
    for (const std::size_t each : missing) {
      if (!can_run(choices_[each], duplicate_, operation)) continue;
      prepared_[each] = std::make_unique<Prepared>(choices_[each], duplicate_, operation, buffers);
    }
  } catch (const std::bad_alloc&) {
    failed = true;
  } catch (const mpi::MpiError&) {
    failed = true;
  }
  return !selection::agree_on_trouble(duplicate_.of(), failed, duplicate_.id()).any;
}

bool Repertoire::run(std::size_t number, const Call& call,
                     std::span<const std::int64_t> block_bytes, const Buffers& buffers) {
  std::unique_ptr<Prepared>& prepared = prepared_[number];
  // A key can stand for several vectors of block sizes, so the last call's may be others.
  if (prepared == nullptr || !is_of(prepared->operation(), call, block_bytes)) {
    const Operation operation = operation_of(call, block_bytes);
    if (!can_run(choices_[number], duplicate_, operation)) {
      uses_[number] = {.is_last_run = false, .was_replaced = true};
      return false;
    }
    prepared = std::make_unique<Prepared>(choices_[number], duplicate_, operation, buffers);
  }
  prepared->run(buffers);
  uses_[number].is_last_run = true;
  return true;
}

namespace {

std::unique_ptr<policies::Policy> make_policy(const Settings& settings, std::size_t number,
                                              std::vector<policies::Candidate> candidates) {
  if (settings.mode == Mode::observe) return std::make_unique<Observe>();
  return policies::make_policy(settings.policy_of(number), std::move(candidates),
                               settings.budget_permille, "AGSTAR_POLICY");
}

}  // namespace

Session::Session(const Key& key, std::size_t number, World& world, DuplicateComm& duplicate,
                 std::span<const std::int64_t> block_bytes)
    : key_(key),
      number_(number),
      total_bytes_(std::accumulate(block_bytes.begin(), block_bytes.end(), std::int64_t{})),
      world_(world),
      duplicate_(duplicate),
      repertoire_(duplicate),
      course_({.weighs_times =
                   world.settings.kind->weighs_times && world.settings.mode != Mode::observe,
               .least_ns = world.settings.least_ns}),
      base_ns_(world.start_ns),
      calls_(world.early_calls(total_bytes_)),
      quiet_calls_(calls_) {}

void Session::start(const Call& call, std::span<const std::int64_t> block_bytes) {
  if (!duplicate_.locate() || !begin(call, block_bytes)) {
    close();
    return;
  }
  const std::int64_t start_ns = mpi::steady_ns();
  install(course_.policy().next({}), call, block_bytes);
  find_quiet_calls();
  overheads_.selecting.ns = mpi::steady_ns() - start_ns;
}

bool Session::begin(const Call& call, std::span<const std::int64_t> block_bytes) {
  selection::Candidates found = find_candidates(call, block_bytes);
  // This throws if these ranks cannot run the NAME of AGSTAR_POLICY=fixed:NAME, or if there is
  // nothing to choose.
  try {
    course_.begin(make_policy(world_.settings, number_, std::move(found.expected)));
  } catch (const text::InputError&) {
    return false;
  }
  repertoire_.begin(std::move(found.choices));
  progress_.begin({});  // what was called before had other numbers
  return true;
}

selection::Candidates Session::find_candidates(const Call& call,
                                               std::span<const std::int64_t> block_bytes) const {
  const Settings& settings = world_.settings;
  if (settings.mode == Mode::observe) {
    const auto native = algorithms::choice_of(*algorithms::find_algorithm("native"));
    return {{native}, {{native.label(), 0, {}}}};
  }
  selection::Search search = world_.search();
  search.windows = !duplicate_.is_without_windows();
  algorithms::Placement placement = duplicate_.placement();
  placement.root = call.root;
  placement.element_bytes = reduction_of(call).element_bytes;
  const mpi::Layout layout = layout_of(*key_.collective, duplicate_.ranks(), block_bytes);
  const selection::Task task(*key_.collective, placement, duplicate_.ranks(), layout);
  if (!world_.profile || !settings.kind->is_bounded) {
    return selection::find_candidates(search, task, duplicate_.of());
  }
  const policies::Known known = policies::find_known(*world_.profile, profile_key(), world_.today);
  if (!known.rows.empty()) search.bounded = false;  // all that the profile may name
  selection::Candidates found = selection::find_candidates(search, task, duplicate_.of());
  if (known.rows.empty()) return found;
  found.expected = policies::expected_of(found.expected, known.rows);
  std::erase_if(found.choices, [&](const algorithms::Choice& choice) {
    return std::ranges::find(found.expected, choice.label(), &policies::Candidate::name) ==
           found.expected.end();
  });
  return found;
}

policies::ProfileKey Session::profile_key() const {
  return policies::profile_key(key_.collective->name, duplicate_.placement(), duplicate_.ranks(),
                               total_bytes_);
}

std::vector<policies::ProfileRow> Session::profile_rows() const {
  std::vector<policies::ProfileRow> rows;
  if (closed_ || !course_.has_begun()) return rows;
  // Other policies know no median of an algorithm: star has its least time, random its mean.
  const bool are_medians =
      world_.settings.kind->is_bounded && world_.settings.mode != Mode::observe;
  if (!are_medians) return rows;
  for (const policies::Score& score : course_.policy().scores()) {
    // The times of an algorithm that the MPI library's own stood in for are of both.
    if (score.values == 0 || repertoire_.was_replaced(score.candidate)) continue;
    rows.push_back({profile_key(), repertoire_.choices()[score.candidate].label(), score.values,
                    std::max<std::int64_t>(1, score.time_ns), world_.today});
  }
  // The next run has to try others where this one tried none.
  if (std::ranges::all_of(rows, policies::is_of_native)) rows.clear();
  return rows;
}

bool Session::run(const Call& call, std::span<const std::int64_t> block_bytes) {
  const InDevice in_device = find_in_device(call, duplicate_.rank(), duplicate_.ranks());
  was_in_device_ = was_in_device_ || in_device.any();
  const PackedBuffers packed(call, in_device, block_bytes, *world_.types, duplicate_.rank(),
                             duplicate_.get());
  const Buffers buffers{packed.send(), packed.receive()};
  if (!repertoire_.run(progress_.candidate(), call, block_bytes, buffers)) return false;
  packed.finish();
  return true;
}

void Session::done(const Call& call, std::span<const std::int64_t> block_bytes,
                   std::int64_t arrival_ns, std::int64_t exit_ns) {
  ++calls_;
  // Another session may try algorithms in between, so that the gap is not the program's alone.
  if (last_session_.load(std::memory_order_relaxed) != this) {
    last_session_.store(this, std::memory_order_relaxed);
    last_exit_ns_.reset();
  }
  selection::Taken taken;
  if (progress_.is_timed()) {
    taken = {arrival_ns, exit_ns,
             world_.one_clock && selection::do_all_wait(*key_.collective, block_bytes),
             last_exit_ns_};
    last_exit_ns_ = taken.exit_ns;
  } else {
    last_exit_ns_.reset();
  }
  progress_.add(taken);
  if (progress_.is_done()) agree(call, block_bytes);
  find_quiet_calls();
}

void Session::find_quiet_calls() {
  if (closed_ || !is_native()) return;
  quiet_calls_ = progress_.quiet_calls();
  progress_.skip(quiet_calls_);
  calls_ += quiet_calls_;
  if (quiet_calls_ > 0) last_exit_ns_.reset();
}

bool Session::objects(const Call& call) {
  if (world_.settings.mode == Mode::observe) return false;
  return was_in_device_ || device::is_unknown_driver_loaded() ||
         find_in_device(call, duplicate_.rank(), duplicate_.ranks()).any();
}

void Session::agree(const Call& call, std::span<const std::int64_t> block_bytes) {
  const std::int64_t start_ns = mpi::steady_ns();
  const bool is_bounded = world_.settings.kind->is_bounded;
  Course::Told told{.done = progress_.call_plan(),
                    .may_copy = is_bounded && repertoire_.has_windows()};
  Learnt learnt;
  if (!progress_.taken().empty()) {
    if (course_.agreements() == 0) learnt = find_learnt();
    told.learnt = learnt.policy.get();
    const std::int64_t known = learnt.policy == nullptr ? 0 : learnt.name();
    // Gaps are compared in plans of runs only.
    told.with_gaps = told.done.front().timing == policies::Timing::each && is_bounded;
    told.agreed = selection::agree_on_times(
        duplicate_.of(), duplicate_.ranks(), mpi::GlobalClock(),  // each rank's own: none is common
        {progress_.taken(), base_ns_, duplicate_.proposed_id(), agreement_ns_, known,
         learnt.unpaid_ns, objects(call), told.with_gaps,
         selection::is_of_slowest(*world_.settings.kind, *key_.collective)});
    duplicate_.set_id(told.agreed->id);
    base_ns_ = told.agreed->last_arrival_ns;
  }
  Course::Decision decision = course_.decide(told);
  std::span<const std::int64_t> times_ns;
  if (told.agreed) times_ns = told.agreed->times_ns;
  log(times_ns, decision.why);
  if (!decision.next) {
    close();
    return;
  }
  keep_learnt();
  install(std::move(*decision.next), call, block_bytes);
  agreement_ns_ = mpi::steady_ns() - start_ns;
  overheads_.add(told.done, agreement_ns_);
}

void Session::install(policies::CallPlan call_plan, const Call& call,
                      std::span<const std::int64_t> block_bytes) {
  bool can_go_on = true;
  if (repertoire_.lacks_window(call_plan)) {
    can_go_on = !course_.is_short() && begin(call, block_bytes);  // anew, without
    if (can_go_on) call_plan = course_.policy().next({});
  }
  const Buffers buffers{call.is_in_place() ? nullptr : static_cast<const std::byte*>(call.send),
                        static_cast<std::byte*>(call.receive)};
  if (!can_go_on ||
      !repertoire_.prepare(call_plan, operation_of(call, block_bytes), buffers, objects(call))) {
    log({}, "; passed on: refused");
    close();
    return;
  }
  progress_.begin(std::move(call_plan));
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
  line += " ns; leads: " + repertoire_.choices()[course_.policy().leader()].label();
  world_.log.line(line.append(outcome));
}

std::int64_t Session::unpaid_ns() const {
  const std::size_t leader = course_.policy().leader();
  const std::int64_t leader_ns = course_.policy().scores()[leader].time_ns;
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
  std::shared_ptr<const policies::Policy> policy = course_.policy().successor(0);
  if (policy == nullptr) return;
  world_.memory.keep({duplicate_.world_ranks(), key_, repertoire_.labels(), base_ns_, false, 0,
                      std::move(policy)});
}

void Session::close() {
  if (!closed_ && course_.agreements() > 0) {
    world_.memory.end(duplicate_.world_ranks(), key_, base_ns_, unpaid_ns());
  }
  closed_ = true;
  repertoire_.clear();
  const std::int64_t came = calls_ - quiet_calls_;
  quiet_calls_ = all_further_calls;
  calls_ = came + quiet_calls_;
}

Account Session::account() const {
  Account account;
  account.calls = calls_ - quiet_calls_;
  account.agreements = course_.agreements();
  account.spent_ns = course_.spent_ns();
  account.overheads = overheads_;
  account.algorithm = "native";
  if (!course_.has_begun()) return account;
  account.excess_ns = course_.policy().excess_ns();
  std::size_t leader = closed_ ? 0 : course_.policy().leader();
  // One that leads by what another communicator, or another run, found may not have had its turn.
  if (leader != 0 && !repertoire_.has_run(leader)) leader = 0;
  account.algorithm = repertoire_.choices()[leader].label();
  for (const policies::Score& score : course_.policy().scores()) {
    if (score.values == 0) continue;
    if (score.candidate == leader) account.time_ns = score.time_ns;
    if (score.candidate == 0) account.native_ns = score.time_ns;
  }
  return account;
}

}  // namespace gatherbench::star
