// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <iterator>

#include "inspect/commands.h"
#include "inspect/nodes.h"

namespace gatherbench::inspect {
namespace {

constexpr int max_ranks = 1 << 20;

struct Options {
  SlotOptions slots;
};

int run(const Options& options) {
  std::string rows = "ranks,nodes,ranks_per_node,mapping,rank,node\n";
  for (const RanksOnNodes& each : options.slots.combine(max_ranks)) {
    int rank = 0;
    for (const int node : each.placement().node) {
      fmt::format_to(std::back_inserter(rows), "{},{},{},{},{},{}\n", each.ranks, each.nodes,
                     each.ranks_per_node, each.mapping, rank++, node);
    }
  }
  fmt::print("{}", rows);
  return 0;
}

}  // namespace

Command add_mapping_command(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("mapping", "Print the node of every rank under mappings, as CSV");
  const auto options = std::make_shared<Options>();
  options->slots.add_to(*command);
  return {command, [options] { return run(*options); }};
}

}  // namespace gatherbench::inspect
