// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The lines of a switch tree's file, in the syntax of Slurm's topology.conf and of what
// "scontrol show topology" prints:
//
//   SwitchName=s0 Nodes=h[0-3,7],x9           # a switch and the hosts on it
//   SwitchName=top Switches=s[0-1]            # a switch and the switches below it
//   BlockName=b0 Nodes=h[0-3]                 # topology/block: see below
//   BlockSizes=4,16
//   Include racks.conf                        # its lines stand here
//
// Slurm's plugin topology/block joins neighbouring blocks of hosts to larger ones. A block is a
// switch here. BlockSizes=4,16 are the hosts of a block and of a larger one: so four blocks that
// follow each other in the file are below a switch of their own. What is at the top is below one
// switch, as a job may have hosts of all blocks.
//
// Keys in any case; a line begins with SwitchName= or one of the others. What follows a # is a
// comment; a backslash at the end of a line continues it on the next; lists are as host_list.h
// says; what a list repeats counts once. Values may stand in double quotes; (null) is no value.
// Nodes=ALL is all hosts of the run. Level=, BlockIndex= and BlockSize= are scontrol's.
// LinkSpeed= is how fast the link from the switch to the one above it is, in each direction, as a
// multiple of a host's link; without it 1, as in Slurm. Slurm leaves the unit open, does nothing
// with the number and takes whole ones only; here 0.5 is a link of half the speed. With a unit
// (100G) it is not used. The top switch has no such link, so its LinkSpeed= is ignored.
// Unlike in Slurm, one switch may have both Nodes= and Switches=: Faraj's trees (2006, 3.3) have
// hosts on inner switches.
namespace gatherbench::topology {

/// One switch as its line describes it.
struct SwitchLine {
  std::string file = {};  ///< the file of the line, which may be an included one
  int line = 0;           ///< in the file, from 1; the first one of a continued line
  std::string name = {};
  std::vector<std::string> hosts = {};     ///< in the order of Nodes=
  std::vector<std::string> switches = {};  ///< in the order of Switches=
  bool all_hosts = false;                  ///< Nodes=ALL
  double link_speed = 1;                   ///< of the link to the switch above; more than 0
  std::string unused_speed = {};           ///< a LinkSpeed= that has a unit
};

/// The switch at the top of several blocks.
inline constexpr std::string_view all_blocks = "(blocks)";

/// Returns the switches in the order of the file. Each line is checked alone; whether the lines
/// make a tree is checked elsewhere. `text` is that of text::read_config_file, and `file_name` is
/// for errors only. Throws InputError, "FILE:LINE: reason", for a line that is not of this syntax,
/// and for more than 2^20 hosts and switches in lists.
std::vector<SwitchLine> parse_topology_file(std::string_view file_name, std::string_view text);

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

struct Topology {
  std::string name = {};
  bool is_default = false;  ///< cluster_default
  std::vector<SwitchLine> switches = {};
  std::string unusable = {};  ///< why it is no tree of switches, "FILE:LINE: reason"; mostly empty
};

/// Returns true if a text is of this form rather than that of topology.conf.
bool is_topology_yaml(std::string_view text);

/// Returns the topologies in the order of the file. Throws InputError, "FILE:LINE: reason".
std::vector<Topology> parse_topology_yaml(std::string_view file_name, std::string_view text);

}  // namespace gatherbench::topology
