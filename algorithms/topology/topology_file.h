// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

// The lines of a switch tree's file, in the syntax of Slurm's topology.conf for topology/tree:
//
//   SwitchName=s0 Nodes=h[0-3,7],x9           # a switch and the hosts on it
//   SwitchName=top Switches=s[0-1]            # a switch and the switches below it
//
// Keys in any case; a line begins with SwitchName=. What follows a # is a comment; a backslash at
// the end of a line continues it on the next; lists are as host_list.h says. Values
// may stand in double quotes.
// LinkSpeed= is how fast the link from the switch to the one above it is, in each direction, as a
// multiple of a host's link; without it 1, as in Slurm. Slurm leaves the unit open, does nothing
// with the number and takes whole ones only; here 0.5 is a link of half the speed. The switch at
// the top has no such link, so there it says nothing.
// Other than in Slurm, one switch may have both Nodes= and Switches=: Faraj's trees (2006, 3.3)
// have hosts on inner switches. A switch without either is an error.
namespace gatherbench::topology {

/// One switch as its line describes it.
struct SwitchLine {
  int line;  ///< in the file, from 1; the first one of a continued line
  std::string name;
  std::vector<std::string> hosts;     ///< in the order of Nodes=
  std::vector<std::string> switches;  ///< in the order of Switches=
  double link_speed = 1;              ///< of the link to the switch above; more than 0
};

/// The switches in the order of the file, each as its line says: what the lines say together is not
/// judged here. `file_name` is for errors only. Throws InputError, "FILE:LINE: reason": a line that
/// is not of this syntax, and more than 2^20 hosts and switches in lists.
std::vector<SwitchLine> parse_topology_file(std::string_view file_name, std::string_view text);

}  // namespace gatherbench::topology
