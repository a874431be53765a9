// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// A topology file's facts about each switch, whichever form the file has.
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

/// The names of Nodes= or Switches=, each once.
std::vector<std::string> expand_names(std::string_view where, std::string_view list);

/// Sets the hosts to those of Nodes=.
void set_hosts(SwitchLine& line, std::string_view where, std::string_view list);

// topology/block of Slurm: blocks of hosts, which pair up with their neighbours to larger ones. A
// block is a switch here. BlockSizes=4,16 are the hosts of a block and of a larger one: so four
// blocks that follow each other in the file are below a switch of their own. What is at the top is
// below one switch, as a job may have hosts of all blocks.

/// The switch at the top of several blocks.
inline constexpr std::string_view all_blocks = "(blocks)";

/// Throws InputError, which begins with `where`, unless each is the first times a larger power of
/// two.
void require_block_sizes(std::string_view where, std::span<const std::int64_t> sizes);

/// Adds the switches above the blocks.
void join_blocks(std::vector<SwitchLine>& blocks, std::span<const std::int64_t> sizes);

}  // namespace gatherbench::topology
