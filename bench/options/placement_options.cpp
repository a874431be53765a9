// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/options/option_groups.h"
#include "bench/options/parsers.h"
#include "bench/options/values/lists.h"
#include "bench/options/values/words.h"

namespace gatherbench::bench {

void add_placement_options(text::OptionTable& table, Options& options) {
  table
      .add("--mapping", "LIST",
           "Renumber ranks by node: sequential (fill a node first), cyclic (one on each in "
           "turn), or both [as launched]",
           into(options.mappings, parse_mappings))
      .not_with("--replay", "the ranks are those of the trace");
  table
      .add("--launched-mapping", alternatives(mapping_names),
           "The mapping that the launcher was asked for: what rows say, while ranks stay as they "
           "are [as launched]",
           into(options.launched_mapping, word(mapping_names)))
      .not_with("--mapping",
                "it tells of ranks that stay as they are, and --mapping renumbers them");
  table.add("--ranks-per-node", "N",
            "Pretend, for --mapping and for algorithms that depend on nodes, that ranks 0 to N-1 "
            "are on one node, and so on [the nodes as they are]",
            into(options.ranks_per_node, integer(1, max_ranks)));
  table.add("--topology", "FILE",
            "Switch tree, as Slurm's topology.conf or topology.yaml or as scontrol show topology "
            "prints it, for algorithms such as topology_ring",
            into(options.topology, parse_file_name));
}

void describe_placement(const Options& options, Keys& keys) {
  std::vector<std::string_view> mappings;
  for (const Mapping mapping : options.mappings) mappings.push_back(name_of(mapping));
  keys.emplace_back("mappings", fmt::format("{}", fmt::join(mappings, ",")));
  keys.emplace_back("launched_mapping", name_of(options.launched_mapping));
  keys.emplace_back("pretended_ranks_per_node", or_else(options.ranks_per_node, "none"));
  keys.emplace_back("topology", options.topology.empty() ? "none" : options.topology);
}

}  // namespace gatherbench::bench
