// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "tools/allgather_schedule/commands.h"
#include "tools/allgather_schedule/common/nodes.h"

namespace gatherbench::allgather_schedule {
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
      rows += fmt::format("{},{},{},{},{},{}\n", each.ranks, each.nodes, each.ranks_per_node,
                          each.mapping, rank++, node);
    }
  }
  fmt::print("{}", rows);
  return 0;
}

}  // namespace

Command add_mapping_command(text::OptionTable& program) {
  text::OptionTable& command =
      program.add_command("mapping", "Print the node of every rank under mappings, as CSV");
  const auto options = std::make_shared<Options>();
  options->slots.add_to(command, true);
  command.set_example(
      "allgather_schedule mapping --nodes 4 --ranks-per-node 8 --mapping sequential,cyclic");
  return {&command, [options] { return run(*options); }};
}

}  // namespace gatherbench::allgather_schedule
