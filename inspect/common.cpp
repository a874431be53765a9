// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/common.h"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/algorithm_sets.h"
#include "text/input_error.h"
#include "text/parse.h"
#include "text/read_file.h"

namespace gatherbench::inspect {

std::vector<algorithms::Choice> schedule_choices(const std::string& option,
                                                 const std::string& list) {
  std::vector<algorithms::Choice> chosen;
  for (const std::string_view item : text::split(list, ',')) {
    const bool is_set = algorithms::find_set(item) != nullptr;
    for (algorithms::Choice& choice : algorithms::parse_algorithms(option, item)) {
      if (choice.form) {
        throw text::bad_value(option, choice.label(),
                              "says how blocks become messages, which no schedule knows: that is "
                              "for the benchmarks");
      }
      if (choice.algorithm->schedule != nullptr) {
        if (std::ranges::find(chosen, choice) == chosen.end()) chosen.push_back(std::move(choice));
      } else if (!is_set) {
        throw text::bad_value(option, choice.label(),
                              choice.algorithm->selects
                                  ? "chooses among others while it runs: it has no schedule"
                                  : "is a call into the MPI library: it has no schedule");
      }
    }
  }
  if (chosen.empty()) {
    throw text::bad_value(option, list,
                          "has calls into the MPI library alone: they have no schedule");
  }
  return chosen;
}

void add_algorithms(CLI::App& app, std::string& algorithms) {
  app.add_option("--algorithms,--algorithm", algorithms, "Names and sets: all, loch2021, ...")
      ->required();
}

std::string require_text(const std::string& text) { return text.empty() ? "'' is no value" : ""; }

void PlacementOptions::add_to(CLI::App& app) {
  app.add_option("--ranks-per-node", ranks_per_node, "Ranks 0 to N-1 are on one node, and so on")
      ->check(require_text);
  app.add_option("--topology", topology,
                 "Switch tree, as Slurm's topology.conf; node i is its i-th host")
      ->check(require_text);
}

std::shared_ptr<const topology::SwitchTree> PlacementOptions::read_tree() const {
  if (topology.empty()) return nullptr;
  return std::make_shared<const topology::SwitchTree>(
      topology::SwitchTree::parse(topology, text::read_file("--topology", topology)));
}

algorithms::Placement PlacementOptions::place(
    int ranks, const std::shared_ptr<const topology::SwitchTree>& tree) const {
  const std::int64_t on_node =
      ranks_per_node.empty() ? 1
                             : text::parse_integer("--ranks-per-node", ranks_per_node, 1, 1 << 24);
  return algorithms::pretended_placement(ranks, static_cast<int>(on_node), tree);
}

std::string reason_unusable(const algorithms::Choice& choice, const algorithms::Problem& problem) {
  std::string reason = algorithms::reason_unusable(*choice.algorithm, problem);
  if (reason.empty() && !algorithms::parameter_in_range(choice, problem.ranks)) {
    reason = fmt::format("{} has no such value at p = {}", choice.algorithm->parameter->name,
                         problem.ranks);
  }
  return reason;
}

}  // namespace gatherbench::inspect
