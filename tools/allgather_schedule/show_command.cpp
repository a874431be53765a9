// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>

#include "algorithms/cost/exit_times.h"
#include "algorithms/proof/proof.h"
#include "formats/text/input_error.h"
#include "formats/text/named.h"
#include "formats/text/parse.h"
#include "tools/allgather_schedule/commands.h"
#include "tools/allgather_schedule/common/nodes.h"
#include "tools/allgather_schedule/common/show_schedule.h"

namespace gatherbench::allgather_schedule {
namespace {

// All ranks' schedules grow with p^2; one rank's do not.
constexpr int max_ranks_together = 8192;
constexpr int max_ranks_alone = 1 << 24;

struct Options {
  AlgorithmOptions algorithm{.option = "--algorithm"};
  std::string ranks;
  std::string rank;
  std::string bytes = "1";
  std::string arrival_times;
  std::string message_time;
  bool json = false;
  NodeOptions nodes;
  PlacementOptions placement;
  RootOption root;
};

/// Returns the arrival of every rank, in microseconds; empty if not given.
std::vector<double> arrival_times(const Options& options, const algorithms::Choice& choice,
                                  int ranks) {
  std::vector<double> times;
  if (options.arrival_times.empty() && options.message_time.empty()) return times;
  if (!choice.algorithm->is<algorithms::ByArrivals>()) {
    const bool arrivals = !options.arrival_times.empty();
    throw text::bad_value(arrivals ? "--arrival-times" : "--message-time",
                          arrivals ? options.arrival_times : options.message_time,
                          fmt::format("has no effect: {} does not depend on it", choice.label()));
  }
  if (options.arrival_times.empty()) return times;
  for (const std::string_view text : text::split(options.arrival_times, ',')) {
    times.push_back(text::parse_number("--arrival-times", text));
  }
  if (std::ssize(times) != ranks) {
    throw text::bad_value("--arrival-times", options.arrival_times,
                          fmt::format("has {} times for {} ranks", times.size(), ranks));
  }
  return times;
}

double message_time(const Options& options, const algorithms::Choice& choice, double chosen_us) {
  if (options.message_time.empty()) return chosen_us;
  if (chosen_us > 0) {
    throw text::bad_value("--message-time", options.message_time,
                          fmt::format("is said by {} too", choice.label()));
  }
  return 1e6 * text::parse_duration("--message-time", options.message_time);
}

/// Throws InputError if the arrivals or the time of a message have no effect, as each has none
/// without the other one; message_us is 0 if nobody says it.
void require_effect(const Options& options, const algorithms::Choice& choice, double message_us) {
  const bool takes_time =
      algorithms::value_of_kind<algorithms::MessageTime>(choice.parameters) != nullptr;
  if (!options.arrival_times.empty() && takes_time && message_us <= 0) {
    throw text::bad_value("--arrival-times", options.arrival_times,
                          fmt::format("has no effect if nobody knows how long a message takes; "
                                      "legal: with --message-time, or {}:tau=TIME",
                                      choice.algorithm->name));
  }
  if (options.message_time.empty()) return;
  if (!takes_time) {
    throw text::bad_value("--message-time", options.message_time,
                          fmt::format("has no effect: {} does not depend on it", choice.label()));
  }
  if (options.arrival_times.empty()) {
    throw text::bad_value("--message-time", options.message_time,
                          "has no effect if all ranks arrive at once; legal: with --arrival-times");
  }
}

/// Returns where the ranks run: under the mapping of --nodes, or as PlacementOptions has it.
algorithms::Placement place(const Options& options, int ranks) {
  if (!options.nodes.given()) return options.placement.read().place(ranks);
  if (!options.placement.topology.empty()) {
    throw text::bad_value("--topology", options.placement.topology,
                          "is not for --nodes and --mapping, which know no switches");
  }
  if (!options.placement.hosts.empty()) {
    throw text::bad_value("--hosts", options.placement.hosts,
                          "is not for --nodes and --mapping, which say where ranks are");
  }
  if (options.nodes.nodes.empty() || options.placement.ranks_per_node.empty()) {
    throw text::InputError(fmt::format("{}: needs --nodes and --ranks-per-node",
                                       options.nodes.nodes.empty() ? "--mapping" : "--nodes"));
  }
  const std::vector<RanksOnNodes> found = options.nodes.combine(
      options.placement.ranks_per_node, fmt::to_string(ranks), max_ranks_alone);
  if (found.size() > 1) {
    throw text::bad_value("--nodes", options.nodes.nodes,
                          fmt::format("with --ranks-per-node '{}' and --mapping '{}' is more than "
                                      "one placement",
                                      options.placement.ranks_per_node, options.nodes.mapping));
  }
  return found[0].placement();
}

int run(const Options& options) {
  const auto choices = options.algorithm.proven();
  if (choices.size() != 1) {
    throw text::bad_value("--algorithm", options.algorithm.list, "is more than one algorithm");
  }
  const algorithms::Choice& choice = choices[0];
  const std::vector<int> ranks = text::parse_ranks(
      "--ranks", options.ranks,
      options.rank.empty() ? options.algorithm.most_ranks(max_ranks_together, max_blocks_proven)
                           : options.algorithm.most_ranks(max_ranks_alone, max_ranks_alone));
  if (ranks.size() != 1) throw text::bad_value("--ranks", options.ranks, "is more than one number");
  const int p = ranks[0];
  algorithms::require_parameter("--algorithm", choice, p);
  algorithms::Placement placement = place(options, p);
  placement.root = options.root.among(p, choices);
  const std::vector<std::int64_t> block_bytes(
      static_cast<std::size_t>(choice.algorithm->kind->blocks(p)),
      text::parse_bytes("--bytes", options.bytes));
  algorithms::Problem problem = placement.place(algorithms::problem_for(choice, p));
  problem.block_bytes = block_bytes;
  const std::vector<double> arrivals = arrival_times(options, choice, p);
  problem.arrival_us = arrivals;
  problem.message_us = message_time(options, choice, problem.message_us);
  require_effect(options, choice, problem.message_us);
  problem.exits_us = &cost::exit_times_of_messages();
  if (const auto reason = why_not(choice, problem)) {
    throw text::bad_value("--algorithm", options.algorithm.list, *reason);
  }
  Shown shown{choice.label(), *choice.algorithm->kind,      p, std::nullopt, {}, {},
              placement.root, runs_ahead(*choice.algorithm)};
  if (options.rank.empty()) {
    shown.schedules = algorithms::make_schedules(*choice.algorithm, problem);
  } else {
    problem.rank = static_cast<int>(text::parse_integer("--rank", options.rank, 0, p - 1));
    shown.rank = problem.rank;
    shown.schedules.push_back(algorithms::make_schedule(*choice.algorithm, problem));
  }
  shown.segments = algorithms::cut(block_bytes, shown.schedules[0].segmentation);
  if (options.json && !shown.rank) {
    shown.rounds = proof::find_rounds(
        shown.schedules, proof::assumptions_of(*choice.algorithm, block_bytes, placement.root));
  }
  if (options.json) {
    fmt::print("{}", show_json(shown));
  } else {
    print_text(shown, [](std::string_view part) { fmt::print("{}", part); });
  }
  return 0;
}

}  // namespace

Command add_show_command(text::OptionTable& program) {
  text::OptionTable& command =
      program.add_command("show", "Print who sends which blocks to whom in each step");
  const auto options = std::make_shared<Options>();
  options->algorithm.add_to(command);
  command.add("--ranks", options->ranks, "A number of ranks").required();
  command.add("--rank", options->rank, "This rank alone");
  command.add("--bytes", options->bytes, "Of each block, for segments");
  command.add("--arrival-times", options->arrival_times,
              "When each rank arrives, in microseconds: 0,0,3.5");
  command.add("--message-time", options->message_time, "Of one block between two ranks: 50us");
  options->placement.add_to(command);
  options->root.add_to(command);
  options->nodes.add_to(command);
  constexpr static std::array<text::Named<bool>, 2> formats{{{"text", false}, {"json", true}}};
  command.add_with_default("--format", text::alternatives(formats), "text",
                           "For people, or programs",
                           [options](std::string_view option, const std::string& text) {
                             options->json = text::parse_named(option, formats, text);
                           });
  command.set_example("allgather_schedule show --algorithm sparbit --ranks 5");
  return {&command, [options] { return run(*options); }};
}

}  // namespace gatherbench::allgather_schedule
