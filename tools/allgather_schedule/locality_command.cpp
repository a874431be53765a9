// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algorithms/messages/transfer_bytes.h"
#include "algorithms/proof/rounds.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/words.h"
#include "tools/allgather_schedule/commands.h"
#include "tools/allgather_schedule/common/common.h"
#include "tools/allgather_schedule/common/nodes.h"

namespace gatherbench::allgather_schedule {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{1} << 62;  // that all ranks send in a step

struct Options {
  AlgorithmOptions algorithms;
  std::string bytes = "1";
  SlotOptions slots;
  std::string hosts;
};

/// Some ranks on nodes, and the columns that tell so.
struct Setting {
  int ranks;
  std::string columns;  ///< nodes, ranks_per_node, mapping
  algorithms::Placement placement;
};

/// Returns the rows of an algorithm on these nodes: one for each step, or one that says why there
/// is none.
std::string rows(const algorithms::Choice& choice, const Setting& where, std::int64_t bytes) {
  const std::string head =
      fmt::format("{},{},{},{}", text::csv_cell(choice.label()), where.ranks, where.columns, bytes);
  const algorithms::Placement& placement = where.placement;
  const SchedulesInRounds found = schedules_in_rounds(choice, where.ranks, bytes, placement);
  std::string reason = found.reason;
  if (reason.empty() && found.schedules[0].broadcast_at_end) {
    reason =
        "ends with the library's MPI_Bcast, whose messages are not known; bcast=NAME has one of "
        "ours";
  }
  if (!reason.empty()) return fmt::format("{},,,,,,skipped,{}\n", head, text::csv_cell(reason));
  const std::vector<std::int64_t> moved =
      messages::sizes_of(found.block_bytes, messages::blocks_moved(*choice.algorithm, where.ranks));
  std::string text;
  int step = 0;
  for (const proof::RoundLocality& one :
       proof::find_locality(found.schedules, found.rounds, moved, placement.node)) {
    text += fmt::format("{},{},{},{},{},{},ok,\n", head, step++, one.sends, one.sends_on_node,
                        one.bytes, one.bytes_on_node);
  }
  return text;
}

/// Returns the settings with --hosts, whose names tell the nodes: there is no mapping to name.
std::vector<Setting> settings_on_hosts(const Options& options, int most) {
  const auto refuse = [&](std::string_view option, const std::string& text) {
    if (text.empty()) return;
    throw text::bad_value(option, text, "is not for --hosts, which say where ranks are");
  };
  refuse("--nodes", options.slots.nodes.nodes);
  refuse("--mapping", options.slots.nodes.mapping);
  if (options.slots.ranks.empty()) throw text::InputError("--ranks: is needed with --hosts");
  const Machine machine = PlacementOptions{options.slots.ranks_per_node, options.hosts, {}}.read();
  std::vector<Setting> settings;
  for (const int ranks : text::parse_ranks("--ranks", options.slots.ranks, most)) {
    algorithms::Placement placement = machine.place(ranks);
    const RanksOnNodes on = found_on_nodes(placement);  // a host may stand twice in the list
    settings.push_back(
        {ranks, fmt::format("{},{},", on.nodes, on.ranks_per_node), std::move(placement)});
  }
  return settings;
}

std::vector<Setting> settings_of(const Options& options) {
  const int most = options.algorithms.most_ranks(max_ranks_in_rounds, max_blocks_proven);
  if (!options.hosts.empty()) return settings_on_hosts(options, most);
  if (options.slots.nodes.nodes.empty() || options.slots.ranks_per_node.empty()) {
    throw text::InputError(
        fmt::format("{}: is needed, or --hosts",
                    options.slots.nodes.nodes.empty() ? "--nodes" : "--ranks-per-node"));
  }
  std::vector<Setting> settings;
  for (const RanksOnNodes& each : options.slots.combine(most)) {
    settings.push_back({each.ranks,
                        fmt::format("{},{},{}", each.nodes, each.ranks_per_node, each.mapping),
                        each.placement()});
  }
  return settings;
}

/// Throws InputError for blocks so large that the bytes of a step may be too many to count. Of one
/// vector, as in an all-reduce, each rank may send its own to all others.
void require_countable(const Options& options, int ranks, std::int64_t bytes) {
  const int blocks = options.algorithms.read_collective().blocks(ranks);
  const std::int64_t most = max_bytes / ranks / std::max(blocks, ranks);
  if (bytes <= most) return;
  throw text::bad_value(
      "--bytes", options.bytes,
      fmt::format("on {} ranks pass 2^62 bytes in all; legal: 1 to {}", ranks, most));
}

int run(const Options& options) {
  const auto choices = options.algorithms.proven();
  const std::int64_t bytes = text::parse_bytes("--bytes", options.bytes);
  const std::vector<Setting> settings = settings_of(options);
  for (const Setting& where : settings) require_countable(options, where.ranks, bytes);
  fmt::print(
      "algorithm,ranks,nodes,ranks_per_node,mapping,bytes,step,sends,sends_on_node,sent_bytes,"
      "sent_bytes_on_node,status,reason\n");
  for (const algorithms::Choice& choice : choices) {
    for (const Setting& where : settings) fmt::print("{}", rows(choice, where, bytes));
  }
  return 0;
}

}  // namespace

Command add_locality_command(text::OptionTable& program) {
  text::OptionTable& command =
      program.add_command("locality", "Print how much of each step stays within the nodes, as CSV");
  const auto options = std::make_shared<Options>();
  options->algorithms.add_to(command);
  options->slots.add_to(command, false);
  command.add("--hosts", options->hosts,
              "In place of --nodes: hosts in the order in which ranks fill them, n[0-3],n7, or "
              "a file with such lists");
  command.add("--bytes", options->bytes, "Size of a block");
  command.set_example(
      "allgather_schedule locality --algorithms ring,bruck --nodes 4 --ranks-per-node 8");
  return {&command, [options] { return run(*options); }};
}

}  // namespace gatherbench::allgather_schedule
