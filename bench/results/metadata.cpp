// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/metadata.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/registry.h"
#include "algorithms/topology/switch_tree.h"
#include "bench/host/file_lock.h"
#include "bench/measure/launch_warmup.h"
#include "bench/native/families.h"
#include "bench/options/option_groups.h"
#include "bench/options/values/words.h"
#include "formats/fnv1a.h"
#include "gatherbench_version.h"
#include "runtime/mpi/control_variables.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"
#include "runtime/policies/profile.h"

namespace gatherbench::bench {
namespace {

std::string_view thread_level() {
  int level = MPI_THREAD_SINGLE;
  mpi::require(MPI_Query_thread(&level), "MPI_Query_thread");
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "single";
    case MPI_THREAD_FUNNELED:
      return "funneled";
    case MPI_THREAD_SERIALIZED:
      return "serialized";
    default:
      return "multiple";
  }
}

void add_environment(formats::Metadata& metadata) {
  formats::Metadata found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    if (steers_mpi(name)) {
      found.emplace_back(fmt::format("env.{}", name),
                         text.substr(std::min(name.size() + 1, text.size())));
    }
  }
  std::ranges::sort(found);
  metadata.insert(metadata.end(), found.begin(), found.end());
}

/// Returns such as "top: a b, s0 below top: c d": every switch with its hosts, in depth-first
/// order.
std::string tree_text(const topology::SwitchTree& tree) {
  std::string text;
  for (int id = 0; id < tree.switches(); ++id) {
    if (id != topology::SwitchTree::root) {
      const double speed = tree.uplink_speed(id);
      text +=
          fmt::format(", {} below {}{}:", tree.switch_name(id), tree.switch_name(tree.parent(id)),
                      speed == 1 ? "" : fmt::format(" at speed {:g}", speed));
    } else {
      text += tree.switch_name(id) + ":";
    }
    for (const int host : tree.hosts_on(id)) text += " " + tree.host_name(host);
  }
  return text;
}

/// Returns a checksum that tells whether schedules are still the same.
std::uint64_t checksum(std::span<const algorithms::Schedule> schedules) {
  formats::Fnv1a add;
  const auto add_transfers = [&](const algorithms::TransferList::Transfers& transfers) {
    add(transfers.size());
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      add(transfers[i].peer);
      add(transfers[i].blocks.size());
      for (const algorithms::BlockRange& range : transfers[i].blocks) {
        add(range.first);
        add(range.count);
      }
    }
  };
  for (const algorithms::Schedule& schedule : schedules) {
    add(schedule.steps());
    add(schedule.scratch_first_block);
    add(schedule.segmentation.near_equal);
    add(schedule.broadcast_at_end ? 1 + schedule.broadcast_root : 0);
    for (std::size_t s = 0; s < schedule.steps(); ++s) {
      const algorithms::Step step = schedule.step(s);
      add((step.barrier ? 1 : 0) + (step.leaves ? 2 : 0));
      add_transfers(step.sends);
      add_transfers(step.receives);
    }
  }
  return add.value();
}

/// Returns a checksum that tells whether a trace is still the same.
std::uint64_t checksum(std::span<const arrivals::TraceLine> trace) {
  formats::Fnv1a add;
  for (const arrivals::TraceLine& line : trace) {
    for (const double value : line.us) add(std::bit_cast<std::uint64_t>(value));
  }
  return add.value();
}

/// Returns the name of each rank's group, by rank.
std::vector<std::string> names_of_groups(std::span<const Group> groups) {
  std::map<int, std::string> names;
  for (const Group& group : groups) {
    for (const int rank : group.ranks) names[rank] = group.name;
  }
  std::vector<std::string> in_order;
  for (const auto& [rank, name] : names) in_order.push_back(name);
  return in_order;
}

std::string kernel() {
  utsname names{};
  uname(&names);
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

std::string clock_text(const Nodes& nodes) {
  if (!mpi::rank_model().clock.empty()) return std::string(mpi::rank_model().clock);
  if (nodes.one_clock) return "steady_clock, shared by all ranks";
  return nodes.count() == 1 ? "steady_clock, synchronised between the ranks by ping-pongs"
                            : "steady_clock, synchronised between the nodes by ping-pongs";
}

/// Names what this MPI cannot run, and why; empty: it can run everything.
std::string left_out(const collectives::Collective& collective) {
  std::string text;
  if (!mpi::why_no_control_variables().empty()) {
    text = fmt::format("native:NAME: {}", mpi::why_no_control_variables());
  }
  if (!mpi::rank_model().why_no_threads.empty()) {
    for (const algorithms::Algorithm* const algorithm : algorithms::algorithms_of(&collective)) {
      if (!runs_ahead(*algorithm)) continue;
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", algorithm->name,
                          mpi::rank_model().why_no_threads);
    }
  }
  return text;
}

/// Adds what the files of distributions say now, which is part of the run: a file may say something
/// else tomorrow.
void add_distribution_files(const Setup& setup, formats::Metadata& metadata) {
  int sizes = 0;
  for (const distributions::Distribution& distribution : setup.distributions) {
    if (distribution.lines.empty()) continue;
    std::string text = distribution.label;
    for (const distributions::FileSize& line : distribution.lines) {
      text += fmt::format(" {:.17g}{}", line.number, line.factor ? "c" : "");
    }
    metadata.emplace_back(fmt::format("distribution_file_{}", ++sizes), text);
  }
}

/// Adds one key for all arrival traces.
void add_arrival_traces(const Setup& setup, formats::Metadata& metadata) {
  std::string text;
  for (const arrivals::ArrivalPattern& pattern : setup.arrivals) {
    if (pattern.trace.empty()) continue;
    text += fmt::format("{}{}: {} lines, checksum {:016x}", text.empty() ? "" : "; ", pattern.label,
                        pattern.trace.size(), checksum(pattern.trace));
  }
  if (!text.empty()) metadata.emplace_back("arrival_trace", text);
}

void add_input_files(const Setup& setup, formats::Metadata& metadata) {
  add_distribution_files(setup, metadata);
  add_arrival_traces(setup, metadata);
  int schedules = 0;
  for (const algorithms::Choice& choice : setup.options.algorithms) {
    if (choice.schedules == nullptr) continue;
    metadata.emplace_back(fmt::format("schedule_file_{}", ++schedules),
                          fmt::format("{}: {} ranks, checksum {:016x}", choice.label(),
                                      choice.schedules->size(), checksum(*choice.schedules)));
  }
  const topology::Network* const network = setup.parts[0].placement.network.get();
  if (network != nullptr) metadata.emplace_back("topology_tree", tree_text(*network->tree()));
  if (setup.options.groups.by == Grouping::By::file) {
    metadata.emplace_back(
        "group_file", fmt::format("{}", fmt::join(names_of_groups(setup.parts[0].groups), " ")));
  }
}

void add_profile_keys(const Setup& setup, formats::Metadata& metadata) {
  int mappings = 0;
  for (const MappedCases& part : setup.parts) {
    if (part.groups.size() > 1) break;  // a profile is of the calls of all ranks
    const auto key = policies::profile_key(setup.options.collective->name, part.placement,
                                           static_cast<int>(setup.nodes.of_rank.size()), 1);
    metadata.emplace_back(
        fmt::format("profile_key_{}", ++mappings),
        fmt::format("{}: {:016x} {:016x}", part.order.label, key.placement, key.switches));
  }
}

/// Returns the local time. fmt::localtime is not used, as {fmt} 12 has it no more.
std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S%z}", parts);
}

}  // namespace

formats::Metadata describe_run(const Setup& setup) {
  const Nodes& nodes = setup.nodes;
  formats::Metadata metadata{{"suite", fmt::format("gatherbench {}", version)},
                             {"mpi", mpi::library_version()},
                             {"collective", std::string(setup.options.collective->name)},
                             {"ranks", fmt::to_string(nodes.of_rank.size())},
                             {"nodes", fmt::to_string(nodes.count())},
                             {"placement", std::string(classify_order(nodes.of_rank))},
                             {"ranks_per_node", fmt::format("{}", fmt::join(nodes.ranks_on, ","))},
                             {"thread_level", std::string(thread_level())},
                             {"sync", std::string(name_in(sync_names, setup.sync))},
                             {"wait", std::string(name_in(wait_names, setup.wait))},
                             {"compute", fmt::format("{} us", setup.compute_us)},
                             {"buffers", setup.buffers.text()},
                             {"cycles", fmt::to_string(setup.cycles)},
                             {"compiler", compiler}};
  for (auto& entry : describe(setup.options)) metadata.push_back(std::move(entry));
  metadata.emplace_back("launch_warmup", describe_launch_warmup(setup.options));
  if (is_of_device(setup.options.places.in)) {
    metadata.emplace_back("device", setup.devices.names);
    metadata.emplace_back("device_driver", setup.devices.driver);
    metadata.emplace_back("device_of_rank", setup.devices.of_rank);
  }
  std::size_t cases = 0;
  for (const MappedCases& part : setup.parts) cases += part.cases.size();
  metadata.emplace_back("cases", fmt::to_string(cases));
  if (setup.options.duet) metadata.emplace_back("duet_name", setup.options.duet->name);
  if (setup.options.records(formats::File::steps)) {
    if (std::string text = algorithms_without_steps(setup.contenders, setup.options);
        !text.empty()) {
      metadata.emplace_back("steps_left_out", std::move(text));
    }
  }
  metadata.emplace_back("replay", setup.replay ? setup.replay->label : "none");
  // They tell what the launch is for, so those of a resumed one are the same.
  for (const Note& note : setup.options.notes) {
    metadata.emplace_back("note." + note.key, note.value);
  }
  add_input_files(setup, metadata);
  add_profile_keys(setup, metadata);
  return metadata;
}

formats::Metadata describe_circumstances(const std::vector<std::string>& command,
                                         const Nodes& nodes,
                                         const collectives::Collective& collective) {
  formats::Metadata metadata{
      {"command", fmt::format("{}", fmt::join(command, " "))},
      {"start", local_time()},
      {std::string(formats::writer_key), this_process()},
      {"hosts", fmt::format("{}", fmt::join(nodes.hosts, ","))},
      {"oversubscribed", nodes.oversubscribed ? "yes" : "no"},
      {"binding", nodes.binding},
      {"clock", clock_text(nodes)},
      {"simulated", mpi::rank_model().one_process ? "yes" : "no"},
      {"prepared", "schedules, plans, buffers and communicators before the clock starts"},
      {"kernel", kernel()},
      {"registry", fmt::format("{}", fmt::join(algorithms::algorithm_names(&collective), ","))}};
  if (const std::string text = left_out(collective); !text.empty()) {
    metadata.emplace_back("left_out", text);
  }
  add_environment(metadata);
  return metadata;
}

}  // namespace gatherbench::bench
