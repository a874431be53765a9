// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/placement.h"
#include "algorithms/proof/findings.h"
#include "algorithms/schedule.h"
#include "formats/text/option_table.h"

// The parts that the commands of allgather_schedule share.
namespace gatherbench::allgather_schedule {

/// Most blocks of one number of ranks whose schedules are all proven: the proof takes a byte for
/// each block and rank.
inline constexpr std::int64_t max_blocks_proven = std::int64_t{1} << 18;

/// A command of the program and what it does when it was given; run() returns the exit code.
struct Command {
  const text::OptionTable* table;
  std::function<int()> run;
};

/// The options --collective, and --algorithms or --algorithm, which choose among what it has.
struct AlgorithmOptions {
  std::string option = "--algorithms";
  std::string list = {};
  std::string collective = "allgather";
  bool takes_forms = false;   ///< an algorithm may say how blocks become messages
  bool takes_copies = false;  ///< it may say that they become copies within a node

  /// Adds the options. The one of the algorithms is needed, unless there is a list by default.
  void add_to(text::OptionTable& table);
  /// Throws InputError.
  [[nodiscard]] const collectives::Collective& read_collective() const;
  /// Returns the chosen algorithms, each once. Library calls have no schedule: those in a set are
  /// left out. Throws InputError for one by its name, and for a list of nothing else. Files with
  /// schedules are read, but not proven.
  [[nodiscard]] std::vector<algorithms::Choice> unproven() const;
  /// Returns the same as unproven(). Also throws InputError for a file with a schedule that is
  /// wrong.
  [[nodiscard]] std::vector<algorithms::Choice> proven() const;
  /// Returns the collective with the same algorithms whose blocks may differ. Throws InputError
  /// that names the distributions that want one if there is none.
  [[nodiscard]] const collectives::Collective& read_unequal(const std::string& distributions) const;
  /// Returns how many ranks are legal: the largest power of two with no more than so many blocks,
  /// or `most` if that is less.
  [[nodiscard]] int most_ranks(int most, std::int64_t blocks) const;

 private:
  /// Throws InputError.
  void require_known_form(const algorithms::Choice& choice) const;
};

/// The machine that the ranks run on, as far as the options tell.
struct Machine {
  std::shared_ptr<const topology::Network> network = nullptr;  ///< null: not known
  std::vector<std::string> hosts =
      {};  ///< in the order in which ranks fill them; empty: the network's
  int ranks_per_host = 1;

  /// Throws InputError.
  [[nodiscard]] algorithms::Placement place(int ranks) const;
};

/// Returns the decisions that were made where files do not say all, for people. A command that ends
/// well tells them once, on standard error.
std::vector<std::string>& notes();

/// --ranks-per-node, --hosts and --topology.
struct PlacementOptions {
  std::string ranks_per_node;
  std::string hosts;
  std::string topology;

  void add_to(text::OptionTable& table);
  [[nodiscard]] bool given() const {
    return !ranks_per_node.empty() || !hosts.empty() || !topology.empty();
  }
  /// Reads the files that they name, and adds to notes(). Throws InputError.
  [[nodiscard]] Machine read() const;
};

/// --root of a command.
struct RootOption {
  std::string root;

  void add_to(text::OptionTable& table);
  /// Returns the root; rank 0 if the option is not given. Throws InputError if it is given and no
  /// algorithm has a root, or no rank is it.
  [[nodiscard]] int among(int ranks, std::span<const algorithms::Choice> choices) const;
};

/// Throws InputError if an algorithm copies within a node (`via=window`), and the model lacks the
/// parameters of copies, or no options say which ranks share a node.
void require_window(std::span<const algorithms::Choice> choices, bool model_has_window,
                    const PlacementOptions& placement);

/// Returns why the algorithm cannot run, or which of its parameters is out of range; none if it
/// can.
std::optional<std::string> why_not(const algorithms::Choice& choice,
                                   const algorithms::Problem& problem);

/// Most ranks for schedules_in_rounds: all schedules are in memory, and grow with p^2.
inline constexpr int max_ranks_in_rounds = 2048;

/// The schedules of all ranks with blocks of equal size, and in which rounds their steps are.
struct SchedulesInRounds {
  std::string reason;  ///< why there are none, or empty
  std::vector<std::int64_t> block_bytes;
  std::vector<algorithms::Schedule> schedules;
  proof::Rounds rounds;
};
SchedulesInRounds schedules_in_rounds(const algorithms::Choice& choice, int ranks,
                                      std::int64_t bytes, const algorithms::Placement& placement);

}  // namespace gatherbench::allgather_schedule
