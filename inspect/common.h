// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/choice.h"
#include "algorithms/placement.h"

// What the commands of allgather_schedule share.
namespace gatherbench::inspect {

/// A command of the program and what it does when it was given; run() returns the exit code.
struct Command {
  CLI::App* app;
  std::function<int()> run;
};

/// The chosen algorithms, each once. Library calls have no schedule: those in a set are left out,
/// and one by its name is an InputError, as is a list of nothing else.
std::vector<algorithms::Choice> schedule_choices(const std::string& option,
                                                 const std::string& list);

/// --algorithms of a command that needs it.
void add_algorithms(CLI::App& app, std::string& algorithms);

/// For options whose empty text means that they are not given: what is wrong with a text, or empty.
std::string require_text(const std::string& text);

/// --ranks-per-node and --topology.
struct PlacementOptions {
  std::string ranks_per_node;
  std::string topology;

  void add_to(CLI::App& app);
  [[nodiscard]] bool given() const { return !ranks_per_node.empty() || !topology.empty(); }
  /// Reads the file of --topology once; null if there is none. Throws InputError.
  [[nodiscard]] std::shared_ptr<const topology::SwitchTree> read_tree() const;
  /// Throws InputError.
  [[nodiscard]] algorithms::Placement place(
      int ranks, const std::shared_ptr<const topology::SwitchTree>& tree) const;
};

/// Empty if it can run, its parameter being in range, else why not.
std::string reason_unusable(const algorithms::Choice& choice, const algorithms::Problem& problem);

}  // namespace gatherbench::inspect
