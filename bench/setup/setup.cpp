// SPDX-License-Identifier: BSD-3-Clause
#include "bench/setup/setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "algorithms/proof/schedule_file.h"
#include "bench/buffers/launch_buffers.h"
#include "bench/cases/placement.h"
#include "bench/native/selection.h"
#include "bench/process/rank_zero.h"
#include "bench/setup/available_memory.h"
#include "bench/setup/expected_time.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/read_file.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

struct Allowance {
  std::int64_t bytes;  ///< a rank
  std::string source;  ///< who says so
};

/// What a rank may use: --mem-limit, but not more than its share of its node.
Allowance find_memory_allowance(const Options& options, const Nodes& nodes, MPI_Comm world) {
  const int node = nodes.of_rank[static_cast<std::size_t>(mpi::rank_of(world))];
  const bool one_process = mpi::rank_model().one_process;
  const std::int64_t sharing =
      one_process ? std::ssize(nodes.of_rank) : nodes.ranks_on[static_cast<std::size_t>(node)];
  const std::int64_t share_here = available_memory() / sharing;
  struct {
    double bytes;
    int node;
  } own{static_cast<double>(share_here), node}, least{};
  mpi::require(MPI_Allreduce(&own, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, world), "MPI_Allreduce");
  const auto index = static_cast<std::size_t>(least.node);
  const auto share = static_cast<std::int64_t>(least.bytes);
  if (options.mem_limit && *options.mem_limit <= share) {
    return {*options.mem_limit, "--mem-limit"};
  }
  if (one_process) {
    return {share, fmt::format("all {} ranks share what this machine has available", sharing)};
  }
  return {share, fmt::format("the {} ranks on {} share what it has available",
                             nodes.ranks_on[index], nodes.hosts[index])};
}

void require_memory(Setup& setup, const Allowance& allowance) {
  setup.memory_allowed = allowance.bytes;
  if (setup.options.measure_model && allowance.bytes < model_memory) {
    throw text::InputError(fmt::format("--measure-model: needs {} a rank; {} are allowed: {}",
                                       text::human_bytes(model_memory),
                                       text::human_bytes(allowance.bytes), allowance.source));
  }
  for (const MappedCases& part : setup.parts) {
    for (const Case& one : part.cases) {
      MemoryNeed need =
          setup.replay
              ? estimate_replay_memory(*setup.replay, one, setup.options, setup.contenders)
              : estimate_memory(one, setup.options, setup.conditions.buffers, setup.contenders);
      if (setup.conditions.message_time) need.extra += 2 * one.key.bytes;
      need.extra += setup.conditions.traffic.buffer_bytes(one.key.ranks);
      constexpr std::int64_t buffers = 2;
      need.extra += buffers * setup.options.place.more_bytes();
      if (choose_memory(setup.options, one.key.bytes) == mpi::Memory::folded) {
        setup.max_folded = most_of(setup.max_folded, need);
        continue;
      }
      setup.max_memory = most_of(setup.max_memory, need);
      if (need.total() <= allowance.bytes) continue;
      throw text::InputError(fmt::format(
          "memory: the case {}, {}, {} bytes needs {} bytes ({}) a rank; {} bytes ({}) "
          "are allowed: {}; legal: {} ({}){}",
          one.key.collective, one.key.distribution, one.key.bytes, need.total(),
          text::human_bytes(need.total()), allowance.bytes, text::human_bytes(allowance.bytes),
          allowance.source, setup.replay ? "fewer calls" : "smaller blocks",
          setup.replay ? "--replay-calls" : setup.options.sizes_option,
          setup.options.buffers && !setup.replay ? ", or other --buffers" : ""));
    }
  }
}

/// The patterns that are asked for, behind the balanced one that they are compared with.
std::vector<arrivals::ArrivalPattern> find_arrivals(const Options& options,
                                                    std::span<const Group> groups, MPI_Comm world,
                                                    std::vector<std::string>& notes) {
  std::vector<arrivals::ArrivalPattern> found =
      arrivals::parse_arrivals("--arrival", options.arrivals, [&](const std::string& path) {
        return on_rank_zero(world, [&] { return text::read_file("--arrival", path); });
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

/// Throws InputError.
std::vector<distributions::Distribution> find_distributions(const Options& options,
                                                            std::span<const Group> groups,
                                                            MPI_Comm world) {
  constexpr std::string_view option = "--distributions";
  std::vector<distributions::Distribution> found = distributions::parse_distributions(
      option, options.distributions, [&](const std::string& path) {
        return on_rank_zero(world, [&] { return text::read_file(option, path); });
      });
  for (const distributions::Distribution& distribution : found) {
    for (const Group& group : groups) distributions::require_ranks(distribution, group.size());
  }
  return found;
}

/// Reads the trace, and says so wherever sizes and distributions are told.
void begin_replay(Setup& setup, const algorithms::Placement& placement, MPI_Comm world) {
  setup.replay =
      read_replay(setup.collective, setup.options.replay, placement, setup.nodes.of_rank, world);
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

/// The groups of one order of the ranks, whose placement this is.
std::vector<Group> find_groups(const Setup& setup, const algorithms::Placement& placement,
                               const MappedOrder& order, MPI_Comm world) {
  constexpr std::string_view option = "--groups";
  const Options& options = setup.options;
  const std::vector<std::string> names =
      find_group_names(option, options.groups, placement.node, [&](const std::string& path) {
        return on_rank_zero(world, [&] { return text::read_file(option, path); });
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

/// Several groups run together, and each alone; but without synchronisation no group can know when
/// the others rest.
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

// Seconds, so that there is something to predict from: as long as in Proficz 2021, whose
// mini-benchmark (listing 4) sleeps for 100 ms and half of the delay, twice.
constexpr double compute_to_watch = 0.2;

bool needs_message_time(const Contender& contender) {
  return contender.reason_unusable.empty() && algorithms::needs_message_time(contender.choice);
}

/// Those of files, before any of them runs. On one rank: the proof of many ranks takes much memory.
void require_proven_schedules(std::span<const algorithms::Choice> choices, MPI_Comm world) {
  (void)on_rank_zero(world, [&] {
    for (const algorithms::Choice& choice : choices) {
      proof::require_proven("--algorithms", choice);
    }
    return std::string();
  });
}

Conditions find_conditions(const Setup& setup, MPI_Comm world) {
  const Options& options = setup.options;
  const bool delayed = setup.arrivals.size() > 1;
  Conditions conditions;
  const bool predicts = std::ranges::any_of(setup.contenders, [&](const Contender& contender) {
    return contender.reason_unusable.empty() &&
           has_helper_thread(*contender.choice.algorithm, options.prediction.from);
  });
  // How a library leaves its barrier differs from one to the other, and a duet compares two.
  const Sync alone = delayed || predicts ? Sync::double_barrier : Sync::barrier;
  conditions.sync = options.sync.value_or(options.duet ? Sync::dissemination : alone);
  conditions.wait = options.wait.value_or(setup.nodes.oversubscribed ? Wait::sleep : Wait::busy);
  conditions.buffers = find_buffers(options, world);
  conditions.compute_us = options.compute.value_or(predicts ? compute_to_watch : 0) * 1e6;
  if (setup.nodes.of_rank.size() == 1 && options.prediction.needs_message_time()) {
    throw text::bad_value("--prediction", options.prediction.label,
                          "is in t, the time of a message between two ranks, and there is one "
                          "rank; legal: us, ms, s");
  }
  conditions.message_time =
      options.prediction.needs_message_time() ||
      std::ranges::any_of(setup.arrivals, &arrivals::ArrivalPattern::needs_message_time) ||
      (setup.nodes.of_rank.size() > 1 && std::ranges::any_of(setup.contenders, needs_message_time));
  return conditions;
}

/// The watchdog would end the run in the first iteration.
void require_time(const Setup& setup) {
  if (mpi::rank_model().one_process) return;  // simulated delays take no time
  constexpr std::uint64_t iterations_to_look_at = 8;
  const Options& options = setup.options;
  const auto refuse = [&](std::string_view option, std::string_view value, double us) {
    throw text::bad_value(option, value,
                          fmt::format("takes {:.6g} s in an iteration, and the run ends after {:g} "
                                      "s without progress; legal: less, or a longer --timeout",
                                      us / 1e6, options.timeout));
  };
  const double most_us = options.timeout * 1e6;
  if (setup.conditions.compute_us >= most_us) {
    refuse("--compute", fmt::format("{:g}s", setup.conditions.compute_us / 1e6),
           setup.conditions.compute_us);
  }
  if (setup.replay) {
    const double us = static_cast<double>(setup.replay->longest_gap_ns) / 1000;
    if (us >= most_us) refuse("--replay", options.replay.folder, us);
  }
  const auto ranks = static_cast<int>(setup.nodes.of_rank.size());
  for (const arrivals::ArrivalPattern& pattern : setup.arrivals) {
    for (std::uint64_t iteration = 0; iteration < iterations_to_look_at; ++iteration) {
      const std::vector<double> delays =
          arrivals::arrivals_us(pattern, ranks, options.seed.value(), iteration, 0);
      const double us = setup.conditions.compute_us + std::ranges::max(delays);
      if (us >= most_us) refuse("--arrival", pattern.label, us);
    }
  }
}

/// Of cases that take real time.
void require_expected_times(const Setup& setup) {
  if (mpi::rank_model().one_process) return;
  const auto running = static_cast<std::size_t>(std::ranges::count_if(
      setup.contenders,
      [](const Contender& contender) { return contender.reason_unusable.empty(); }));
  for (const MappedCases& part : setup.parts) {
    for (const Case& one : part.cases) {
      const double waited_s =
          setup.replay ? static_cast<double>(setup.replay->shortest_ns) / 1e9 : 0;
      require_expected_time(setup.options, one.key, running, waited_s);
    }
  }
}

/// Throws InputError if steps are to be recorded and there are none.
void note_on_steps(Setup& setup) {
  if (!setup.options.records(formats::File::steps)) return;
  const std::string without = algorithms_without_steps(setup.contenders, setup.options);
  const auto has_steps = [&](const Contender& contender) {
    return contender.reason_unusable.empty() &&
           reason_no_steps(contender.choice, setup.options.prediction.from).empty();
  };
  if (std::ranges::none_of(setup.contenders, has_steps)) {
    throw text::bad_value("--record", formats::name_of(formats::File::steps),
                          fmt::format("has nothing to record: {}; legal: with --algorithms that "
                                      "run the same schedule of ours in each call (--list)",
                                      without));
  }
  if (!without.empty()) setup.notes.push_back(fmt::format("no steps are recorded of {}", without));
}

}  // namespace

Setup prepare_setup(const collectives::Collective& collective, Options options,
                    const Congestion& congestion) {
  const MPI_Comm world = congestion.measured();
  Setup setup{.collective = collective, .options = std::move(options), .nodes = find_nodes(world)};
  setup.nodes.oversubscribed |= congestion.is_oversubscribed();
  const auto ranks = static_cast<int>(setup.nodes.of_rank.size());
  const algorithms::Placement placement = find_placement(setup.options, setup.nodes, world);
  if (setup.options.measure_model && !setup.options.dry_run && ranks == 1) {
    throw text::InputError(
        "--measure-model: is of messages between ranks, and there is one rank; legal: 2 or more");
  }
  proof::read_schedules("--algorithms", setup.options.algorithms, [&](const std::string& path) {
    return on_rank_zero(world, [&] { return text::read_file("--algorithms", path); });
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
                                     setup.options.in_place, setup.options.prediction.from, use);
  setup.arrivals = find_arrivals(setup.options, all_groups, world, setup.notes);
  require_place(setup.options.place, world);
  setup.conditions = find_conditions(setup, world);
  setup.conditions.traffic = parse_traffic("--beside", setup.options.beside);
  setup.conditions.loads = find_loads(setup, groups.front(), congestion);
  require_time(setup);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    std::vector<Case> cases =
        setup.replay
            ? std::vector{replay_case(collective, *setup.replay, orders[i], largest(groups[i]),
                                      setup.distributions.front(), setup.arrivals.front())}
            : find_cases(collective, setup.options, largest(groups[i]), orders[i],
                         setup.distributions, setup.arrivals);
    algorithms::Placement reordered = renumber_placement(placement, orders[i].order);
    setup.parts.push_back(
        {std::move(orders[i]), std::move(reordered), std::move(groups[i]), std::move(cases)});
  }
  // Of the nodes that are there, whatever --ranks-per-node pretends.
  if (std::string note = note_on_launch(setup.nodes.of_rank, setup.options.launched_mapping);
      !note.empty()) {
    setup.notes.push_back(std::move(note));
  }
  if (setup.options.ranks_per_node) {
    setup.notes.push_back(fmt::format("nodes are pretended: {} ranks on each of {}",
                                      *setup.options.ranks_per_node, placement.node.back() + 1));
  }
  if (const std::string chosen = find_choice_at_start(collective, setup.options.algorithms);
      !chosen.empty()) {
    setup.notes.push_back(fmt::format("{} was chosen when the MPI library started", chosen));
  }
  note_on_steps(setup);
  if (setup.options.check_up_to) {
    setup.notes.push_back(fmt::format(
        "not checked: blocks above {} bytes (--check-up-to){}", *setup.options.check_up_to,
        mpi::rank_model().one_process ? ", whose bytes do not exist" : ""));
  }
  if (!setup.replay &&
      any_has_helper_thread(setup.options.algorithms, setup.options.prediction.from)) {
    setup.notes.emplace_back(
        "MPI_THREAD_MULTIPLE, for those that predict arrivals; all algorithms pay for it");
  }
  require_memory(setup, find_memory_allowance(setup.options, setup.nodes, world));
  require_expected_times(setup);
  if (setup.nodes.oversubscribed) {
    setup.notes.emplace_back(
        "oversubscribed: more ranks than processors, so times are the scheduler's too");
  }
  return setup;
}

}  // namespace gatherbench::bench
