// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/common/common.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/cost/models.h"
#include "algorithms/proof/proof.h"
#include "algorithms/proof/rounds.h"
#include "algorithms/proof/schedule_file.h"
#include "algorithms/topology/host_list.h"
#include "algorithms/topology/switch_tree.h"
#include "algorithms/topology/torus.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/read_file.h"

namespace gatherbench::allgather_schedule {
namespace {

constexpr std::string_view hosts_option = "--hosts";

/// Reads hosts as Slurm's --nodelist does: a text that has a slash is a file, and so is one that
/// names a file that is there.
std::vector<std::string> read_hosts(const std::string& given) {
  std::error_code not_there;
  if (given.find('/') == std::string::npos && !std::filesystem::is_regular_file(given, not_there)) {
    return topology::expand_host_list(hosts_option, given);
  }
  return topology::parse_host_file(given, text::read_file(hosts_option, given));
}

std::shared_ptr<const topology::Network> read_network(const std::string& given,
                                                      const std::vector<std::string>& hosts) {
  const std::string_view option = "--topology";
  if (given.starts_with(topology::Torus::prefix)) {
    return std::make_shared<const topology::Torus>(topology::Torus::parse(option, given));
  }
  auto tree = std::make_shared<const topology::SwitchTree>(
      topology::SwitchTree::parse(given, text::read_config_file(option, given), hosts));
  std::ranges::copy(tree->notes(), std::back_inserter(notes()));
  return tree;
}

std::string_view why_no_schedule(const algorithms::Algorithm& algorithm) {
  if (algorithm.is<algorithms::Selects>()) {
    return "chooses among others while it runs: it has no schedule";
  }
  if (algorithm.is<algorithms::Redirects>()) {
    return "finds out while it runs who is there: it has no schedule";
  }
  return "is a call into the MPI library: it has no schedule";
}

}  // namespace

std::vector<std::string>& notes() {
  static std::vector<std::string> notes;
  return notes;
}

void AlgorithmOptions::add_to(text::OptionTable& table) {
  const bool several = option == "--algorithms";
  const bool needed = list.empty();
  table
      .add(several ? "--algorithms,--algorithm" : option, list,
           several ? "Names and sets: all, loch2021, ..." : "A name")
      .required(needed);
  std::vector<std::string> words;
  for (const collectives::Collective& one : collectives::all_collectives()) {
    words.emplace_back(one.name);
  }
  table.add("--collective", collective,
            fmt::format("Whose algorithms: {}", fmt::join(words, ", ")));
}

const collectives::Collective& AlgorithmOptions::read_collective() const {
  std::vector<std::string_view> legal;
  for (const collectives::Collective& one : collectives::all_collectives()) {
    if (one.name == collective) return one;
    legal.push_back(one.name);
  }
  throw text::unknown_name("--collective", "collective", collective, legal);
}

const collectives::Collective& AlgorithmOptions::read_unequal(
    const std::string& distributions) const {
  const collectives::Collective& of = read_collective();
  for (const collectives::Collective& one : collectives::all_collectives()) {
    if (one.unequal_blocks && one.kind == of.kind) return one;
  }
  throw text::bad_value(
      "--distributions", distributions,
      fmt::format("is of blocks that differ, and those of {} are equal", of.name));
}

int AlgorithmOptions::most_ranks(int most, std::int64_t blocks) const {
  const collectives::Collective& of = read_collective();
  int ranks = 1;
  while (ranks < most && of.blocks(2 * ranks) <= blocks) ranks *= 2;
  return std::min(ranks, most);
}

void AlgorithmOptions::require_known_form(const algorithms::Choice& choice) const {
  if (choice.form && !takes_forms) {
    throw text::bad_value(option, choice.label(),
                          "says how blocks become messages, which no schedule knows: that is for "
                          "the benchmarks and for cost");
  }
  if (choice.via != algorithms::Via::messages && !takes_copies) {
    throw text::bad_value(option, choice.label(),
                          "says that blocks become copies, which no schedule knows: that is for "
                          "the benchmarks, cost and time");
  }
}

std::vector<algorithms::Choice> AlgorithmOptions::unproven() const {
  const collectives::Collective& of = read_collective();
  std::vector<algorithms::Choice> chosen;
  for (const std::string_view item : text::split(list, ',')) {
    const bool is_set = algorithms::find_set(item) != nullptr;
    for (algorithms::Choice& choice : algorithms::parse_algorithms(option, item, of)) {
      require_known_form(choice);
      if (choice.algorithm->schedules() != nullptr) {
        if (std::ranges::find(chosen, choice) == chosen.end()) chosen.push_back(std::move(choice));
      } else if (!is_set) {
        throw text::bad_value(option, choice.label(), why_no_schedule(*choice.algorithm));
      }
    }
  }
  if (chosen.empty()) {
    throw text::bad_value(option, list,
                          "has calls into the MPI library alone: they have no schedule");
  }
  proof::read_schedules(option, chosen,
                        [&](const std::string& path) { return text::read_file(option, path); });
  return chosen;
}

std::vector<algorithms::Choice> AlgorithmOptions::proven() const {
  std::vector<algorithms::Choice> chosen = unproven();
  for (const algorithms::Choice& choice : chosen) proof::require_proven(option, choice);
  return chosen;
}

void PlacementOptions::add_to(text::OptionTable& table) {
  table.add("--ranks-per-node", ranks_per_node, "Ranks 0 to N-1 are on one node, and so on");
  table.add(
      "--topology", topology,
      "Switch tree, as Slurm's topology.conf or .yaml, or torus:4x4; node i is its i-th host, "
      "or that of --hosts");
  table.add("--hosts", hosts,
            "Hosts in the order in which ranks fill them: n[0-3],n7, or a file with such lists");
}

Machine PlacementOptions::read() const {
  Machine machine;
  if (!hosts.empty()) machine.hosts = read_hosts(hosts);
  if (!topology.empty()) machine.network = read_network(topology, machine.hosts);
  if (!ranks_per_node.empty()) {
    machine.ranks_per_host =
        static_cast<int>(text::parse_integer("--ranks-per-node", ranks_per_node, 1, 1 << 24));
  }
  return machine;
}

algorithms::Placement Machine::place(int ranks) const {
  return hosts.empty()
             ? algorithms::pretended_placement(ranks, ranks_per_host, network)
             : algorithms::placement_on(hosts_option, hosts, ranks, ranks_per_host, network);
}

void RootOption::add_to(text::OptionTable& table) {
  table.add("--root", root, "The root of a broadcast; else rank 0");
}

int RootOption::among(int ranks, std::span<const algorithms::Choice> choices) const {
  if (root.empty()) return 0;
  const bool has_root = std::ranges::any_of(
      choices, [](const algorithms::Choice& choice) { return choice.algorithm->kind->has_root; });
  if (!has_root) {
    throw text::bad_value("--root", root,
                          fmt::format("has no effect: {} has no root", choices.front().label()));
  }
  return static_cast<int>(text::parse_integer("--root", root, 0, ranks - 1));
}

void require_window(std::span<const algorithms::Choice> choices, bool model_has_window,
                    const PlacementOptions& placement) {
  const auto copying =
      std::ranges::find(choices, algorithms::Via::window, &algorithms::Choice::via);
  if (copying == choices.end()) return;
  if (!model_has_window) {
    throw text::bad_value("--algorithms", copying->label(),
                          fmt::format("copies within a node, and --model lacks {}; legal: with "
                                      "both, as --measure-model finds them",
                                      cost::needed_of_window()));
  }
  if (placement.ranks_per_node.empty() && placement.hosts.empty()) {
    throw text::bad_value("--algorithms", copying->label(),
                          "copies within a node, and each rank has a node of its own; legal: with "
                          "--ranks-per-node or --hosts");
  }
}

std::optional<std::string> why_not(const algorithms::Choice& choice,
                                   const algorithms::Problem& problem) {
  if (choice.via == algorithms::Via::window && runs_ahead(*choice.algorithm)) {
    return "has messages that a helper thread sends (via=window; legal: via=messages)";
  }
  if (auto why = algorithms::why_not(*choice.algorithm, problem)) return why;
  const auto* const outside = algorithms::parameter_out_of_range(choice, problem.ranks);
  if (outside == nullptr) return std::nullopt;
  return fmt::format("{} has no such value at p = {}", outside->name, problem.ranks);
}

SchedulesInRounds schedules_in_rounds(const algorithms::Choice& choice, int ranks,
                                      std::int64_t bytes, const algorithms::Placement& placement) {
  SchedulesInRounds found;
  const auto blocks = static_cast<std::size_t>(choice.algorithm->kind->blocks(ranks));
  found.block_bytes.assign(blocks, bytes);
  algorithms::Problem problem = placement.place(algorithms::problem_for(choice, ranks));
  problem.block_bytes = found.block_bytes;
  found.reason = why_not(choice, problem).value_or("");
  if (!found.reason.empty()) return found;
  found.schedules = algorithms::make_schedules(*choice.algorithm, problem);
  found.rounds = proof::find_rounds(
      found.schedules, proof::assumptions_of(*choice.algorithm, found.block_bytes, placement.root));
  found.reason = found.rounds.fault;
  return found;
}

}  // namespace gatherbench::allgather_schedule
