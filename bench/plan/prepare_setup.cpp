// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/prepare_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/proof/schedule_file.h"
#include "algorithms/topology/switch_tree.h"
#include "bench/conditions/launch_buffers.h"
#include "bench/host/rank_zero.h"
#include "bench/native/native_choice.h"
#include "bench/plan/expected_time.h"
#include "bench/plan/memory.h"
#include "bench/plan/placement.h"
#include "formats/columns.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/read_file.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

// These functions throw InputError where a launch would take longer than its user can have meant.
// They do nothing in a simulation.

/// Returns in how many iterations the delays of a pattern are looked at: in all that have a line of
/// a trace for themselves, and in the first ones of a formula, whose draws go on alike.
std::uint64_t iterations_to_look_at(const arrivals::ArrivalPattern& pattern,
                                    const Options& options) {
  constexpr std::uint64_t first_ones = 8;
  std::int64_t most = 0;
  for (const std::int64_t bytes : options.sizes) {
    most = std::max({most, options.warmup_at(bytes), options.iterations_at(bytes)});
  }
  return std::max(first_ones,
                  std::min<std::uint64_t>(pattern.trace.size(), static_cast<std::uint64_t>(most)));
}

/// Refuses an iteration in which ranks compute and are late for longer than --timeout: the watchdog
/// would end the run there. Delays in t are taken as none: t is measured in each case.
void require_time(const Setup& setup) {
  if (mpi::rank_model().one_process) return;  // simulated delays take no time
  const Options& options = setup.options;
  const auto refuse = [&](std::string_view option, std::string_view value, double us) {
    throw text::bad_value(option, value,
                          fmt::format("takes {:.6g} s in an iteration, and the run ends after {:g} "
                                      "s without progress; legal: less, or a longer --timeout",
                                      us / 1e6, options.timeout));
  };
  const double most_us = options.timeout * 1e6;
  if (setup.compute_us >= most_us) {
    refuse("--compute", fmt::format("{:g}s", setup.compute_us / 1e6), setup.compute_us);
  }
  if (setup.replay) {
    const double us = static_cast<double>(setup.replay->longest_gap_ns) / 1000;
    if (us >= most_us) refuse("--replay", options.replay.folder, us);
  }
  const auto ranks = static_cast<int>(setup.nodes.of_rank.size());
  for (const arrivals::ArrivalPattern& pattern : setup.arrivals) {
    const std::uint64_t iterations = iterations_to_look_at(pattern, options);
    for (std::uint64_t iteration = 0; iteration < iterations; ++iteration) {
      const std::vector<double> delays =
          arrivals::arrivals_us(pattern, ranks, options.seed.value(), iteration, 0);
      const double us = setup.compute_us + std::ranges::max(delays);
      if (us >= most_us) refuse("--arrival", pattern.label, us);
    }
  }
}

/// Refuses cases that are not done in any sensible time.
void require_expected_times(const Setup& setup) {
  if (mpi::rank_model().one_process) return;  // simulated cases take no time
  const auto running = static_cast<std::size_t>(std::ranges::count_if(
      setup.contenders, [](const Contender& contender) { return !contender.why_not.has_value(); }));
  for (const MappedCases& part : setup.parts) {
    for (const Case& one : part.cases) {
      const double waited_s =
          setup.replay ? static_cast<double>(setup.replay->shortest_ns) / 1e9 : 0;
      require_expected_time(setup.options, one.key, running, waited_s);
    }
  }
}

/// Returns the patterns that are asked for, behind the balanced one that they are compared with.
/// Throws InputError.
std::vector<arrivals::ArrivalPattern> find_arrivals(const Options& options,
                                                    std::span<const Group> groups, MPI_Comm world,
                                                    std::vector<std::string>& notes) {
  std::vector<arrivals::ArrivalPattern> found =
      arrivals::parse_arrivals("--arrival", options.arrivals, [&](const std::string& path) {
        return text_of_rank_zero(world, [&] { return text::read_file("--arrival", path); });
      });
  for (const arrivals::ArrivalPattern& pattern : found) {
    for (const Group& group : groups) {
      arrivals::require_ranks("--arrival", pattern, group.size());
    }
    if (mpi::size_of(world) == 1 && pattern.needs_message_time()) {
      throw text::bad_value(
          "--arrival", pattern.label,
          "is in t, the time of a message between two ranks, and there is one rank; "
          "legal: us, ms, s");
    }
  }
  if (std::ranges::none_of(found, &arrivals::ArrivalPattern::is_none)) {
    const auto none = [](const std::string&) { return std::string(); };
    found.push_back(arrivals::parse_arrivals("--arrival", "none", none).front());
    notes.emplace_back("--arrival none is run too: what a pattern costs is told against it");
  }
  std::stable_partition(found.begin(), found.end(),
                        std::mem_fn(&arrivals::ArrivalPattern::is_none));
  return found;
}

/// Returns the distributions that are asked for. Throws InputError, also if one cannot be had in a
/// group.
std::vector<distributions::Distribution> find_distributions(const Options& options,
                                                            std::span<const Group> groups,
                                                            MPI_Comm world) {
  constexpr std::string_view option = "--distributions";
  std::vector<distributions::Distribution> found = distributions::parse_distributions(
      option, options.distributions, [&](const std::string& path) {
        return text_of_rank_zero(world, [&] { return text::read_file(option, path); });
      });
  for (const distributions::Distribution& distribution : found) {
    for (const Group& group : groups) distributions::require_ranks(distribution, group.size());
  }
  return found;
}

/// Reads the trace, and says so wherever sizes and distributions are told.
void begin_replay(Setup& setup, const algorithms::Placement& placement, MPI_Comm world) {
  setup.replay = read_replay(*setup.options.collective, setup.options.replay, placement,
                             setup.nodes.of_rank, world);
  setup.distributions = {{.label = replayed}};
  setup.options.distributions = replayed;
  setup.options.sizes = {setup.replay->bytes};
  setup.options.sizes_option = "--replay";
  setup.notes.push_back("replay of " + setup.replay->label);
  std::ranges::copy(setup.replay->notes, std::back_inserter(setup.notes));
  if (setup.options.validation) {
    setup.notes.emplace_back(
        "-c looks at the bytes between the calls: in the gaps, or where these are shorter in the "
        "times");
  }
}

/// Returns the groups of one order of the ranks, whose placement this is. Throws InputError, also
/// if a group is too small for the root.
std::vector<Group> find_groups(const Setup& setup, const algorithms::Placement& placement,
                               const MappedOrder& order, MPI_Comm world) {
  constexpr std::string_view option = "--groups";
  const Options& options = setup.options;
  const std::vector<std::string> names =
      find_group_names(option, options.groups, placement.node, [&](const std::string& path) {
        return text_of_rank_zero(world, [&] { return text::read_file(option, path); });
      });
  std::vector<int> node_of_rank;
  for (const int rank : order.order) {
    node_of_rank.push_back(setup.nodes.of_rank[static_cast<std::size_t>(rank)]);
  }
  std::vector<Group> groups = make_groups(names, placement, node_of_rank);
  for (const Group& group : groups) {
    if (placement.root < group.size()) continue;
    throw text::bad_value("--root", fmt::to_string(placement.root),
                          fmt::format("is not between 0 and {}, the ranks of group {}",
                                      group.size() - 1, group.name));
  }
  return groups;
}

/// Proves the schedules of files before any of them runs. One rank does so: the proof of many ranks
/// takes much memory.
void require_proven_schedules(std::span<const algorithms::Choice> choices, MPI_Comm world) {
  run_on_rank_zero(world, [&] {
    for (const algorithms::Choice& choice : choices) {
      proof::require_proven("--algorithms", choice);
    }
  });
}

/// Adds the cases of one order of the ranks; `placement` is of the ranks as they were launched.
void add_cases(Setup& setup, const algorithms::Placement& placement, MappedOrder order,
               std::vector<Group> groups) {
  std::vector<Case> cases =
      setup.replay
          ? std::vector{replay_case(setup.options, *setup.replay, order, largest(groups),
                                    setup.distributions.front(), setup.arrivals.front())}
          : make_cases(setup.options, largest(groups), order, setup.distributions, setup.arrivals);
  algorithms::Placement reordered = renumber_placement(placement, order.order);
  setup.parts.push_back(
      {std::move(order), std::move(reordered), std::move(groups), std::move(cases)});
}

/// Throws InputError if steps are to be recorded and there are none.
void note_on_steps(Setup& setup) {
  if (!setup.options.records(formats::File::steps)) return;
  const std::string without = algorithms_without_steps(setup.contenders, setup.options);
  const auto has_steps = [&](const Contender& contender) {
    return !contender.why_not.has_value() &&
           !way_to_run(contender.choice)->why_no_steps(setup.options.prediction.from).has_value();
  };
  if (std::ranges::none_of(setup.contenders, has_steps)) {
    throw text::bad_value("--record", formats::name_of(formats::File::steps),
                          fmt::format("has nothing to record: {}; legal: with --algorithms that "
                                      "run the same schedule of ours in each call (--list)",
                                      without));
  }
  if (!without.empty()) setup.notes.push_back(fmt::format("no steps are recorded of {}", without));
}

void note_on_algorithms(Setup& setup) {
  const Options& options = setup.options;
  const std::string chosen = find_choice_at_start(*options.collective, options.algorithms);
  if (!chosen.empty()) {
    setup.notes.push_back(fmt::format("{} was chosen when the MPI library started", chosen));
  }
  note_on_steps(setup);
  if (!setup.replay && any_has_helper_thread(options.algorithms, options.prediction.from)) {
    setup.notes.emplace_back(
        "MPI_THREAD_MULTIPLE, for those that predict arrivals; all algorithms pay for it");
  }
}

/// Notes what the user should know of the ranks and algorithms of this launch.
void note_what_runs(Setup& setup, const algorithms::Placement& placement) {
  // The nodes are those that are there, whatever --ranks-per-node pretends.
  if (std::string note = note_on_launch(setup.nodes.of_rank, setup.options.launched_mapping);
      !note.empty()) {
    setup.notes.push_back(std::move(note));
  }
  if (setup.options.ranks_per_node) {
    setup.notes.push_back(fmt::format("nodes are pretended: {} ranks on each of {}",
                                      *setup.options.ranks_per_node, placement.node.back() + 1));
  }
  if (placement.network != nullptr && placement.network->tree() != nullptr) {
    std::ranges::copy(placement.network->tree()->notes(), std::back_inserter(setup.notes));
  }
  note_on_algorithms(setup);
  if (setup.options.check_up_to) {
    setup.notes.push_back(fmt::format(
        "not checked: blocks above {} bytes (--check-up-to){}", *setup.options.check_up_to,
        mpi::rank_model().one_process ? ", whose bytes do not exist" : ""));
  }
  if (setup.nodes.count() == 1 && !setup.nodes.one_clock) {
    setup.notes.emplace_back(
        "the ranks of this host have steady clocks of their own (as in time namespaces), which are "
        "synchronised by ping-pongs");
  }
  if (setup.nodes.oversubscribed) {
    setup.notes.emplace_back(
        "oversubscribed: more ranks than processors, so times are the scheduler's too");
  }
}

// The seconds that ranks compute, so that there is something to predict from: as long as in Proficz
// 2021, whose mini-benchmark (listing 4) sleeps for 100 ms and half of the delay, twice.
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

/// Settles what the options leave to the launch, but for traffic and loads. Throws InputError.
/// Collective over `world`.
void settle_conditions(Setup& setup, MPI_Comm world) {
  const Options& options = setup.options;
  const bool delayed = setup.arrivals.size() > 1;
  const bool predicts = std::ranges::any_of(setup.contenders, [&](const Contender& contender) {
    return !contender.why_not.has_value() &&
           has_helper_thread(*contender.choice.algorithm, options.prediction.from);
  });
  // Libraries differ in how ranks leave their barriers, and a duet compares two.
  const Sync alone = delayed || predicts ? Sync::double_barrier : Sync::barrier;
  setup.sync = options.sync.value_or(options.duet ? Sync::dissemination : alone);
  setup.wait = options.wait.value_or(setup.nodes.oversubscribed ? Wait::sleep : Wait::busy);
  setup.buffers = find_buffers(options, world);
  setup.compute_us = options.compute.value_or(predicts ? compute_to_watch : 0) * 1e6;
  setup.message_time = needs_message_time(setup);
}

/// Returns the loads under which each case is measured. Several groups run together, and each
/// alone; but without synchronisation no group can know when the others rest, so then none runs
/// alone, which is noted.
std::vector<Load> find_loads(Setup& setup, std::span<const Group> groups,
                             const Congestion& congestion) {
  std::vector<Load> loads{Load{}};
  if (groups.size() > 1) {
    loads[0].every_group = false;
    if (setup.sync == Sync::none) {
      setup.notes.emplace_back("no group is measured alone: --sync none");
      loads.clear();
    }
    loads.push_back({.beside = std::string(formats::beside_groups)});
  }
  const auto label = [&](std::string_view beside) {
    return groups.size() > 1 ? fmt::format("{} and {}", formats::beside_groups, beside)
                             : std::string(beside);
  };
  const TrafficChoice& traffic = setup.traffic;
  if (traffic.kind != nullptr) loads.push_back({.beside = label(traffic.label), .traffic = true});
  if (congestion.is_any()) {
    loads.push_back({.beside = label(congestion.choice().label), .congested = true});
  }
  if (setup.options.overlap) {
    loads.push_back({.beside = label(formats::beside_computation), .computes = true});
  }
  return loads;
}

/// Returns why no cycles can be timed; empty if they can.
std::string_view why_no_cycles(const Setup& setup) {
  const auto chooses = [](const Contender& contender) {
    return !contender.why_not.has_value() && contender.choice.algorithm->is<algorithms::Selects>();
  };
  if (mpi::rank_model().one_process) return "a cycle is about caches, and a simulation has none";
  if (setup.replay) return "not with --replay, which makes a program's calls";
  if (setup.sync == Sync::none) {
    return "not with --sync none, whose calls follow each other already (period_us)";
  }
  if (setup.buffers.use != BufferUse::fresh) {
    return "a cycle writes what is sent: only with --buffers fresh";
  }
  if (setup.options.groups.by != Grouping::By::none) {
    return "a cycle is of all ranks: not with --groups";
  }
  if (setup.loads.size() != 1) {
    return "a cycle has nothing beside it: not with --beside, --congest, --overlap";
  }
  if (std::ranges::any_of(setup.contenders, chooses)) {
    return "a cycle has calls that are on no row: not with algorithms that choose by their calls";
  }
  if (setup.options.records(formats::File::counters)) {
    return "a cycle's calls would be counted: not with --record counters";
  }
  if (setup.compute_us > 0) {
    return "a cycle computes nothing: not with --compute, nor with algorithms whose helper thread "
           "predicts arrivals from a computation";
  }
  return {};
}

/// Returns how many cycles follow each turn: 0 where a loop of write, call and read would not be
/// what the launch measures. The loads have to be found before. Throws InputError if cycles are
/// asked for where there can be none.
std::int64_t find_cycles(const Setup& setup) {
  constexpr std::int64_t usual = 10;
  const std::optional<std::int64_t>& asked = setup.options.cycles;
  const std::string_view why_none = why_no_cycles(setup);
  if (why_none.empty()) return asked.value_or(usual);
  if (asked.value_or(0) == 0) return 0;
  throw text::bad_value("--cycles", fmt::to_string(*asked), fmt::format("{}; legal: 0", why_none));
}

}  // namespace

Setup prepare_setup(Options options, const Congestion& congestion) {
  const MPI_Comm world = congestion.measured();
  Setup setup{.options = std::move(options), .nodes = find_nodes(world)};
  const collectives::Collective& collective = *setup.options.collective;
  setup.nodes.oversubscribed |= congestion.is_oversubscribed();
  setup.devices = find_devices(setup.options.places, setup.nodes, world);
  const auto ranks = std::ssize(setup.nodes.of_rank);
  if (ranks > collective.most_ranks) {
    throw text::InputError(
        fmt::format("ranks: {} have more blocks than can be numbered; legal: 1 to {}", ranks,
                    collective.most_ranks));
  }
  const algorithms::Placement placement = find_placement(setup.options, setup.nodes, world);
  if (setup.options.measure_model && !setup.options.dry_run && ranks == 1) {
    throw text::InputError(
        "--measure-model: is of messages between ranks, and there is one rank; legal: 2 or more");
  }
  proof::read_schedules("--algorithms", setup.options.algorithms, [&](const std::string& path) {
    return text_of_rank_zero(world, [&] { return text::read_file("--algorithms", path); });
  });
  require_proven_schedules(setup.options.algorithms, world);
  std::vector<MappedOrder> orders = find_orders(setup.options, placement.node, setup.notes);
  std::vector<std::vector<Group>> groups;  // of each order
  std::vector<Group> all_groups;
  for (const MappedOrder& order : orders) {
    groups.push_back(find_groups(setup, renumber_placement(placement, order.order), order, world));
    std::ranges::copy(groups.back(), std::back_inserter(all_groups));
  }
  if (setup.options.replay.is_asked()) {
    begin_replay(setup, placement, world);
    all_groups = setup.replay->groups;
  } else {
    setup.distributions = find_distributions(setup.options, all_groups, world);
  }
  const CallUse use = setup.replay            ? CallUse::in_sequence
                      : setup.options.overlap ? CallUse::in_parts
                                              : CallUse::whole;
  setup.contenders = find_contenders(collective, setup.options.algorithms, all_groups,
                                     {.in_place = setup.options.in_place,
                                      .from = setup.options.prediction.from,
                                      .use = use,
                                      .buffers_in = setup.options.places.in,
                                      .why_no_pointers = setup.devices.why_no_pointers});
  setup.arrivals = find_arrivals(setup.options, all_groups, world, setup.notes);
  require_places(setup.options.places, world);
  settle_conditions(setup, world);
  setup.traffic = parse_traffic("--beside", setup.options.beside);
  setup.loads = find_loads(setup, groups.front(), congestion);
  setup.cycles = find_cycles(setup);
  require_time(setup);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    add_cases(setup, placement, std::move(orders[i]), std::move(groups[i]));
  }
  note_what_runs(setup, placement);
  setup.memory = find_memory(setup, world, congestion.memory());
  require_expected_times(setup);
  return setup;
}

}  // namespace gatherbench::bench
