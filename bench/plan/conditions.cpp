// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "bench/conditions/launch_buffers.h"
#include "formats/columns.h"
#include "formats/text/input_error.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

// Seconds, so that there is something to predict from: as long as in Proficz 2021, whose
// mini-benchmark (listing 4) sleeps for 100 ms and half of the delay, twice.
constexpr double compute_to_watch = 0.2;

bool needs_message_time(const Contender& contender) {
  return !contender.why_not.has_value() && algorithms::needs_message_time(contender.choice);
}

bool needs_message_time(const Setup& setup) {
  const bool has_peers = setup.nodes.of_rank.size() > 1;
  if (setup.options.prediction.needs_message_time()) {
    if (has_peers) return true;
    throw text::bad_value("--prediction", setup.options.prediction.label,
                          "is in t, the time of a message between two ranks, and there is one "
                          "rank; legal: us, ms, s");
  }
  if (std::ranges::any_of(setup.arrivals, &arrivals::ArrivalPattern::needs_message_time)) {
    return true;
  }
  const auto needs = [](const Contender& contender) { return needs_message_time(contender); };
  return has_peers && std::ranges::any_of(setup.contenders, needs);
}

/// Returns why no cycles can be timed; empty if they can.
std::string_view why_no_cycles(const Setup& setup) {
  const Conditions& conditions = setup.conditions;
  const auto chooses = [](const Contender& contender) {
    return !contender.why_not.has_value() && contender.choice.algorithm->is<algorithms::Selects>();
  };
  if (mpi::rank_model().one_process) return "a cycle is about caches, and a simulation has none";
  if (setup.replay) return "not with --replay, which makes a program's calls";
  if (conditions.sync == Sync::none) {
    return "not with --sync none, whose calls follow each other already (period_us)";
  }
  if (conditions.buffers.use != BufferUse::fresh) {
    return "a cycle writes what is sent: only with --buffers fresh";
  }
  if (setup.options.groups.by != Grouping::By::none) {
    return "a cycle is of all ranks: not with --groups";
  }
  if (conditions.loads.size() != 1) {
    return "a cycle has nothing beside it: not with --beside, --congest, --overlap";
  }
  if (std::ranges::any_of(setup.contenders, chooses)) {
    return "a cycle has calls that are on no row: not with algorithms that choose by their calls";
  }
  if (setup.options.records(formats::File::counters)) {
    return "a cycle's calls would be counted: not with --record counters";
  }
  if (conditions.compute_us > 0) {
    return "a cycle computes nothing: not with --compute, nor with algorithms whose helper thread "
           "predicts arrivals from a computation";
  }
  return {};
}

}  // namespace

std::int64_t find_cycles(const Setup& setup) {
  constexpr std::int64_t usual = 10;
  const std::optional<std::int64_t>& asked = setup.options.cycles;
  const std::string_view why_none = why_no_cycles(setup);
  if (why_none.empty()) return asked.value_or(usual);
  if (asked.value_or(0) == 0) return 0;
  throw text::bad_value("--cycles", fmt::to_string(*asked), fmt::format("{}; legal: 0", why_none));
}

Conditions find_conditions(const Setup& setup, MPI_Comm world) {
  const Options& options = setup.options;
  const bool delayed = setup.arrivals.size() > 1;
  Conditions conditions;
  const bool predicts = std::ranges::any_of(setup.contenders, [&](const Contender& contender) {
    return !contender.why_not.has_value() &&
           has_helper_thread(*contender.choice.algorithm, options.prediction.from);
  });
  // Libraries differ in how ranks leave their barriers, and a duet compares two.
  const Sync alone = delayed || predicts ? Sync::double_barrier : Sync::barrier;
  conditions.sync = options.sync.value_or(options.duet ? Sync::dissemination : alone);
  conditions.wait = options.wait.value_or(setup.nodes.oversubscribed ? Wait::sleep : Wait::busy);
  conditions.buffers = find_buffers(options, world);
  conditions.compute_us = options.compute.value_or(predicts ? compute_to_watch : 0) * 1e6;
  conditions.message_time = needs_message_time(setup);
  return conditions;
}

std::vector<Load> find_loads(Setup& setup, std::span<const Group> groups,
                             const Congestion& congestion) {
  std::vector<Load> loads{Load{}};
  if (groups.size() > 1) {
    loads[0].every_group = false;
    if (setup.conditions.sync == Sync::none) {
      setup.notes.emplace_back("no group is measured alone: --sync none");
      loads.clear();
    }
    loads.push_back({.beside = std::string(formats::beside_groups)});
  }
  const auto label = [&](std::string_view beside) {
    return groups.size() > 1 ? fmt::format("{} and {}", formats::beside_groups, beside)
                             : std::string(beside);
  };
  const TrafficChoice& traffic = setup.conditions.traffic;
  if (traffic.kind != nullptr) loads.push_back({.beside = label(traffic.label), .traffic = true});
  if (congestion.is_any()) {
    loads.push_back({.beside = label(congestion.choice().label), .congested = true});
  }
  if (setup.options.overlap) {
    loads.push_back({.beside = label(formats::beside_computation), .computes = true});
  }
  return loads;
}

}  // namespace gatherbench::bench
