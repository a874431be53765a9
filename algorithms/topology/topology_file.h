// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "algorithms/topology/switch_lines.h"

// The lines of a switch tree's file, in the syntax of Slurm's topology.conf and of what
// "scontrol show topology" prints:
//
//   SwitchName=s0 Nodes=h[0-3,7],x9           # a switch and the hosts on it
//   SwitchName=top Switches=s[0-1]            # a switch and the switches below it
//   BlockName=b0 Nodes=h[0-3]                 # topology/block: see switch_lines.h
//   BlockSizes=4,16
//   Include racks.conf                        # its lines stand here
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

/// Returns the switches in the order of the file. Each line is checked alone; whether the lines
/// make a tree is checked elsewhere. `text` is that of text::read_config_file, and `file_name` is
/// for errors only. Throws InputError, "FILE:LINE: reason", for a line that is not of this syntax,
/// and for more than 2^20 hosts and switches in lists.
std::vector<SwitchLine> parse_topology_file(std::string_view file_name, std::string_view text);

}  // namespace gatherbench::topology
