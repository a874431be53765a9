// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/switch_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>

#include "algorithms/topology/host_list.h"
#include "formats/text/config_lines.h"
#include "formats/text/input_error.h"
#include "formats/text/words.h"

namespace gatherbench::topology {
namespace {

/// The node below a switch to come: a block, or a switch above some.
struct Joined {
  std::string name;
  std::string first;  // block
  std::string last;
};

SwitchLine switch_above(const SwitchLine& at, std::string name, std::span<const Joined> below) {
  SwitchLine line{.file = at.file, .line = at.line, .name = std::move(name)};
  for (const Joined& each : below) line.switches.push_back(each.name);
  return line;
}

}  // namespace

std::vector<std::string> expand_names(std::string_view where, std::string_view list) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (std::string& name : expand_host_list(where, list)) {
    if (seen.insert(name).second) names.push_back(std::move(name));
  }
  return names;
}

void set_hosts(SwitchLine& line, std::string_view where, std::string_view list) {
  line.all_hosts = text::equal_but_for_case(list, "ALL");
  if (!line.all_hosts) line.hosts = expand_names(where, list);
}

void require_block_sizes(std::string_view where, std::span<const std::int64_t> sizes) {
  std::int64_t before = 0;
  for (const std::int64_t size : sizes) {
    const std::int64_t times = size / sizes.front();
    const bool is_power = std::has_single_bit(static_cast<std::uint64_t>(times));
    if (size % sizes.front() != 0 || !is_power || size <= before) {
      throw text::bad_value(where, fmt::to_string(size),
                            fmt::format("is no block size; legal: {} times a power of two, more "
                                        "than the one before",
                                        sizes.front()));
    }
    before = size;
  }
}

void join_blocks(std::vector<SwitchLine>& blocks, std::span<const std::int64_t> sizes) {
  if (blocks.empty()) return;
  const SwitchLine at = blocks.front();
  std::vector<Joined> level;
  for (const SwitchLine& block : blocks) level.push_back({block.name, block.name, block.name});
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    const auto group = static_cast<std::size_t>(sizes[i] / sizes[i - 1]);
    std::vector<Joined> above;
    for (std::size_t begin = 0; begin < level.size(); begin += group) {
      const auto below = std::span(level).subspan(begin, std::min(group, level.size() - begin));
      above.push_back(below.front());
      if (below.size() == 1) continue;
      above.back().last = below.back().last;
      above.back().name = fmt::format("{}..{}", below.front().first, below.back().last);
      blocks.push_back(switch_above(at, above.back().name, below));
    }
    level = std::move(above);
  }
  if (level.size() > 1) blocks.push_back(switch_above(at, std::string(all_blocks), level));
}

}  // namespace gatherbench::topology
