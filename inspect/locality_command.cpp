// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <iterator>

#include "analysis/locality.h"
#include "inspect/commands.h"
#include "inspect/nodes.h"
#include "inspect/schedules_in_rounds.h"
#include "text/csv_cell.h"
#include "text/parse.h"

namespace gatherbench::inspect {
namespace {

struct Options {
  std::string algorithms;
  std::string bytes = "1";
  SlotOptions slots;
};

/// The rows of an algorithm on these nodes: one a step, or one that says why there is none.
std::string rows(const algorithms::Choice& choice, const RanksOnNodes& where, std::int64_t bytes) {
  const std::string head =
      fmt::format("{},{},{},{},{},{}", text::csv_cell(choice.label()), where.ranks, where.nodes,
                  where.ranks_per_node, where.mapping, bytes);
  const algorithms::Placement placement = where.placement();
  const SchedulesInRounds found = schedules_in_rounds(choice, where.ranks, bytes, placement);
  if (!found.reason.empty()) {
    return fmt::format("{},,,,,,skipped,{}\n", head, text::csv_cell(found.reason));
  }
  std::string text;
  int step = 0;
  for (const analysis::RoundLocality& one :
       analysis::find_locality(found.schedules, found.rounds, found.block_bytes, placement.node)) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},ok,\n", head, step++, one.sends,
                   one.sends_on_node, one.bytes, one.bytes_on_node);
  }
  return text;
}

int run(const Options& options) {
  const auto choices = schedule_choices("--algorithms", options.algorithms);
  const std::int64_t bytes = text::parse_bytes("--bytes", options.bytes);
  const auto settings = options.slots.combine(max_ranks_in_rounds);
  fmt::print(
      "algorithm,ranks,nodes,ranks_per_node,mapping,bytes,step,sends,sends_on_node,sent_bytes,"
      "sent_bytes_on_node,status,reason\n");
  for (const algorithms::Choice& choice : choices) {
    for (const RanksOnNodes& where : settings) fmt::print("{}", rows(choice, where, bytes));
  }
  return 0;
}

}  // namespace

Command add_locality_command(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("locality", "Print how much of each step stays within the nodes, as CSV");
  const auto options = std::make_shared<Options>();
  add_algorithms(*command, options->algorithms);
  options->slots.add_to(*command);
  command->add_option("--bytes", options->bytes, "Size of a block")->capture_default_str();
  return {command, [options] { return run(*options); }};
}

}  // namespace gatherbench::inspect
