// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/topology/switch_lines.h"

// Slurm's topology.yaml (25.05): a list of topologies, of which a partition has one.
//
//   - topology: fabric
//     cluster_default: true
//     tree:
//       switches:
//         - {switch: top, children: "s[0-1]"}
//         - {switch: s0, nodes: "h[0-3]"}
//         - {switch: s1, nodes: "h[4-7]"}
//
// "block:" has "block_sizes:" and "blocks:", each with "block:" and "nodes:"; "flat: true" is one
// switch with all hosts.
namespace gatherbench::topology {

struct Topology {
  std::string name = {};
  bool is_default = false;  ///< cluster_default
  std::vector<SwitchLine> switches = {};
  std::string unusable = {};  ///< why it is no tree of switches, "FILE:LINE: reason"; mostly empty
};

/// Returns true if a text is of this form rather than that of topology_file.h.
bool is_topology_yaml(std::string_view text);

/// Returns the topologies in the order of the file. Throws InputError, "FILE:LINE: reason".
std::vector<Topology> parse_topology_yaml(std::string_view file_name, std::string_view text);

}  // namespace gatherbench::topology
