// SPDX-License-Identifier: BSD-3-Clause
//
// Message scheduling on a switch tree, all-to-all: as many phases as the most loaded link has
// messages to carry, in none of which a link carries two (message_phases.h). The variants
// keep phases apart where messages of two phases share a link:
//   (none)            nothing does; ranks drift
//   _dummy            a rank that is idle in a phase sends a rank on its switch that receives
//                     nothing, if there is one, the block for it once more, not to run ahead
//   _sender           a rank tells the next one that may use a link of its message that it is sent,
//                     by a token
//   _receiver         whoever received that message tells it
//   _barrier          a barrier between blocks of n phases
//   _barrier_sender, _barrier_receiver   and tokens within these blocks
// Of tokens only those are sent that do not follow from others. Without barriers, those within a
// block of n phases are left out ("partial").
//
// Steps   one a phase; with tokens three: those that are waited for, the messages, those that leave
// Cost    L (alpha + c beta), L the messages of the most loaded link: as fast as that link can be
// Limits  the switch tree must be known
// Memory  none beside the buffers
// Source  Faraj 2006, section 3.2
//
//   switches s0 {hosts 0 1} and s1 {hosts 2 3}: 4 phases
//   0   0>3 3>1 1>0     1   1>2 3>0 0>1 2>3     2   0>2 2>1     3   1>3 2>0 3>2
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/alltoall/pairs.h"
#include "algorithms/topology/message_phases.h"
#include "algorithms/topology/switch_tree.h"

namespace gatherbench::algorithms {
namespace {

enum class Tokens { none, sender, receiver };

struct Style {
  Tokens tokens;
  bool barriers;
  bool dummies = false;
};

using Phases = std::vector<std::vector<topology::RankMessage>>;

/// A token from one rank to another, left after a phase and waited for before a later one.
struct Token {
  int from;
  int to;
};

/// Tokens by phase.
using PhaseTokens = std::vector<std::vector<Token>>;

/// The messages of all ranks.
struct Plan {
  int ranks;
  Phases phases;
  bool has_tokens;
  PhaseTokens left;           ///< after each phase
  PhaseTokens waited;         ///< before each phase
  std::size_t barrier_every;  ///< phases; 0: there are none

  [[nodiscard]] bool has_barrier_before(std::size_t phase) const {
    return barrier_every > 0 && phase > 0 && phase % barrier_every == 0;
  }
};

/// Returns a place for each rank that no link between two of its ranks leaves: its switch, or its
/// host if that has several ranks, which share its link. Hosts are counted on from the switches.
std::vector<std::size_t> places_of(const Problem& problem) {
  const topology::SwitchTree& tree = *problem.switches();
  std::vector<int> ranks(static_cast<std::size_t>(tree.hosts()));
  for (const int host : problem.host) ++ranks[static_cast<std::size_t>(host)];
  std::vector<std::size_t> places;
  for (const int host : problem.host) {
    const bool shared = ranks[static_cast<std::size_t>(host)] > 1;
    const int place = shared ? tree.switches() + host : tree.switch_of(host);
    places.push_back(static_cast<std::size_t>(place));
  }
  return places;
}

/// Adds a message from this rank to another one of the idle receivers, and takes that one off them.
/// Adds none if there is no receiver but the rank itself.
void add_dummy(std::vector<topology::RankMessage>& messages, int from, std::vector<int>& idle) {
  if (!idle.empty() && idle.back() == from) std::swap(idle.front(), idle.back());
  if (idle.empty() || idle.back() == from) return;
  messages.push_back({from, idle.back()});
  idle.pop_back();
}

/// Adds, to each phase, messages from ranks that send nothing to ranks at their place that receive
/// nothing. Faraj also lets an idle rank without such a partner send to itself, which no link
/// carries.
void add_dummies(Phases& phases, const Problem& problem) {
  const std::vector<std::size_t> places = places_of(problem);
  const std::size_t count = std::ranges::max(places) + 1;
  for (std::vector<topology::RankMessage>& messages : phases) {
    std::vector<bool> sends(places.size());
    std::vector<bool> receives(places.size());
    for (const auto& [from, to] : messages) {
      sends[static_cast<std::size_t>(from)] = true;
      receives[static_cast<std::size_t>(to)] = true;
    }
    std::vector<std::vector<int>> idle(count);  // receivers, of each place
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      if (!receives[rank]) idle[places[rank]].push_back(static_cast<int>(rank));
    }
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      if (!sends[rank]) add_dummy(messages, static_cast<int>(rank), idle[places[rank]]);
    }
  }
}

void add_tokens(Plan& plan, const Problem& problem, const Style& style) {
  const std::int64_t block = problem.count();
  for (const topology::Conflict& one :
       topology::needed_orders(*problem.switches(), problem.host, plan.phases)) {
    const bool within = one.phase / block == one.later_phase / block;
    if (within != style.barriers) continue;
    const Token token{style.tokens == Tokens::sender ? one.message.from : one.message.to,
                      one.later.from};
    if (token.from == token.to) continue;
    plan.left[static_cast<std::size_t>(one.phase)].push_back(token);
    plan.waited[static_cast<std::size_t>(one.later_phase)].push_back(token);
  }
}

Plan plan_of(const Problem& problem, const Style& style) {
  Plan plan{.ranks = problem.ranks,
            .phases = topology::message_phases(*problem.switches(), problem.host),
            .has_tokens = style.tokens != Tokens::none,
            .left = {},
            .waited = {},
            .barrier_every = style.barriers ? static_cast<std::size_t>(problem.count()) : 0};
  if (style.dummies) add_dummies(plan.phases, problem);
  plan.left.resize(plan.phases.size());
  plan.waited.resize(plan.phases.size());
  if (plan.has_tokens) add_tokens(plan, problem, style);
  return plan;
}

void add_waited(Schedule& schedule, int rank, const std::vector<Token>& tokens) {
  for (const Token& token : tokens) {
    if (token.to == rank) schedule.receive_token(token.from);
  }
}

void add_messages(Schedule& schedule, int rank, const Plan& plan, std::size_t phase) {
  for (const auto& [from, to] : plan.phases[phase]) {
    const BlockRange blocks{alltoall::block_for(from, to, plan.ranks), 1};
    if (from == rank) schedule.send(to, blocks);
    if (to == rank) schedule.receive(from, blocks);
  }
}

void add_left(Schedule& schedule, int rank, const std::vector<Token>& tokens) {
  for (const Token& token : tokens) {
    if (token.from == rank) schedule.send_token(token.to);
  }
}

Schedule schedule_of(int rank, const Plan& plan) {
  Schedule schedule;
  for (std::size_t phase = 0; phase < plan.phases.size(); ++phase) {
    schedule.begin_step(plan.has_barrier_before(phase));
    if (plan.has_tokens) {
      add_waited(schedule, rank, plan.waited[phase]);
      schedule.begin_step();
    }
    add_messages(schedule, rank, plan, phase);
    if (!plan.has_tokens) continue;
    schedule.begin_leaving_step();
    add_left(schedule, rank, plan.left[phase]);
  }
  return schedule;
}

template <Style style>
Schedule topology_phases_schedule(const Problem& problem) {
  return schedule_of(problem.rank, plan_of(problem, style));
}

template <Style style>
std::vector<Schedule> topology_phases_schedules(const Problem& problem) {
  const Plan plan = plan_of(problem, style);
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < problem.ranks; ++rank) schedules.push_back(schedule_of(rank, plan));
  return schedules;
}

std::int64_t load(const Problem& problem) {
  return topology::most_messages_on_a_link(*problem.switches(), problem.host);
}

constexpr Needs switch_tree{"a switch tree",
                            [](const Problem& problem) -> std::optional<std::string> {
                              if (problem.switches() != nullptr) return std::nullopt;
                              return "needs a switch tree: --topology FILE";
                            }};

constexpr Formula a_step_a_phase{"L",
                                 [](const Problem& problem) -> Amount { return load(problem); }};
constexpr Formula three_steps_a_phase{
    "3L", [](const Problem& problem) -> Amount { return 3 * load(problem); }};
constexpr Formula between_blocks{"ceil(L/n)-1", [](const Problem& problem) -> Amount {
                                   const std::int64_t phases = load(problem);
                                   return phases == 0 ? 0 : (phases - 1) / problem.count();
                                 }};

constexpr Parameter barrier_every{
    .name = "n", .summary = "phases from barrier to barrier, 1 or more", .default_value = Count{1}};
constexpr Parameter barrier_every_8{
    .name = "n", .summary = "phases from barrier to barrier, 1 or more", .default_value = Count{8}};
constexpr Parameter tokens_between{.name = "n",
                                   .summary =
                                       "phases of a block, within which tokens are left "
                                       "out; 1 or more",
                                   .default_value = Count{1}};

template <Style style>
constexpr Algorithm row(std::string_view name, std::string_view title, std::string_view summary,
                        Parameters parameters) {
  constexpr bool has_tokens = style.tokens != Tokens::none;
  Algorithm algorithm{.name = name,
                      .title = title,
                      .summary = summary,
                      .source = "Faraj 2006, 3.2",
                      .kind = &collectives::alltoall,
                      .needs = switch_tree,
                      .parameters = parameters,
                      .moves_twice = style.dummies,
                      .contention_free = true,
                      .can_be_phase = !style.dummies,
                      .steps = has_tokens ? three_steps_a_phase : a_step_a_phase,
                      .messages = has_tokens || style.dummies ? formulas::no_closed_form
                                                              : formulas::each_block_once,
                      .bytes = style.dummies ? formulas::no_closed_form : formulas::all_bytes,
                      .how = Schedules{.of_rank = topology_phases_schedule<style>,
                                       .of_all = topology_phases_schedules<style>}};
  if (style.barriers) algorithm.barriers = between_blocks;
  return algorithm;
}

}  // namespace

extern constinit const Algorithm alltoall_topology_phases = row<Style{Tokens::none, false}>(
    "topology_phases", {}, "phases in which no link carries two messages", {});

extern constinit const Algorithm alltoall_topology_phases_dummy =
    row<Style{.tokens = Tokens::none, .barriers = false, .dummies = true}>(
        "topology_phases_dummy", {}, "the same, idle ranks exchange blocks that nobody needs", {});

extern constinit const Algorithm alltoall_topology_phases_sender =
    row<Style{Tokens::sender, false}>("topology_phases_sender", "Topology phases, sender tokens",
                                      "the same, kept in order by tokens from senders",
                                      {tokens_between});

extern constinit const Algorithm alltoall_topology_phases_receiver =
    row<Style{Tokens::receiver, false}>(
        "topology_phases_receiver", "Topology phases, receiver tokens",
        "the same, kept in order by tokens from receivers", {tokens_between});

extern constinit const Algorithm alltoall_topology_phases_barrier = row<Style{Tokens::none, true}>(
    "topology_phases_barrier", "Topology phases, MPI barrier",
    "the same, a barrier between phases or blocks of them", {barrier_every});

extern constinit const Algorithm alltoall_topology_phases_barrier_sender =
    row<Style{Tokens::sender, true}>(
        "topology_phases_barrier_sender", "Topology phases, MPI barrier and sender tokens",
        "the same, tokens from senders within blocks", {barrier_every_8});

extern constinit const Algorithm alltoall_topology_phases_barrier_receiver =
    row<Style{Tokens::receiver, true}>(
        "topology_phases_barrier_receiver", "Topology phases, MPI barrier and receiver tokens",
        "the same, tokens from receivers within blocks", {barrier_every_8});

}  // namespace gatherbench::algorithms
