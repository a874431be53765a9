// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/topology_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "algorithms/topology/host_list.h"
#include "formats/text/config_lines.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/words.h"

namespace gatherbench::topology {
namespace {

constexpr std::string_view spaces = " \t\r";
constexpr std::string_view legal =
    "legal: SwitchName=NAME, then Nodes=HOSTS, Switches=NAMES or both; or BlockName=NAME "
    "Nodes=HOSTS, and BlockSizes=NUMBERS";
/// The keys that a line may have, by its first key.
struct LineKind {
  std::string_view first;
  std::span<const std::string_view> keys;
};
constexpr std::array<std::string_view, 5> switch_keys{"SwitchName", "Nodes", "Switches",
                                                      "LinkSpeed", "Level"};
constexpr std::array<std::string_view, 4> block_keys{"BlockName", "Nodes", "BlockIndex",
                                                     "BlockSize"};
constexpr std::array<std::string_view, 4> aggregated_keys{"AggregatedBlock", "Nodes", "BlockIndex",
                                                          "BlockSize"};
constexpr std::array<std::string_view, 1> size_keys{"BlockSizes"};
constexpr std::array<LineKind, 4> kinds{
    LineKind{"SwitchName", switch_keys}, LineKind{"BlockName", block_keys},
    LineKind{"AggregatedBlock", aggregated_keys}, LineKind{"BlockSizes", size_keys}};
constexpr std::array<std::string_view, 4> first_keys{"SwitchName", "BlockName", "AggregatedBlock",
                                                     "BlockSizes"};

void skip_spaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
}

/// The leading part of `text` before any of `ends`, taken off it.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::string_view part = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(part.size());
  return part;
}

/// Empty if there is none: scontrol writes "Nodes= Switches=s0", and some tools "Nodes=(null)".
std::string_view take_value(std::string_view where, std::string_view& text) {
  skip_spaces(text);
  if (text.starts_with('"')) {
    text.remove_prefix(1);
    const std::string_view value = take_until(text, "\"");
    if (text.empty()) throw text::bad_value(where, value, "has no closing quote");
    text.remove_prefix(1);
    return value;
  }
  std::string_view after = text;
  const std::string_view value = take_until(after, spaces);
  if (value.find('=') != std::string_view::npos) return {};
  text = after;
  return value == "(null)" ? std::string_view() : value;
}

std::string_view take_key(std::string_view where, std::span<const std::string_view> keys,
                          std::string_view& text) {
  std::string ends(spaces);
  const std::string_view word = take_until(text, ends += '=');
  skip_spaces(text);
  if (!text.starts_with('=')) {
    throw text::bad_value(where, word, fmt::format("is not KEY=VALUE; {}", legal));
  }
  text.remove_prefix(1);
  for (const std::string_view key : keys) {
    if (text::equal_but_for_case(key, word)) return key;
  }
  if (text::equal_but_for_case(word, "RingName")) {
    throw text::InputError(
        fmt::format("{}: a ring of topology/ring is no tree of switches; {}", where, legal));
  }
  throw text::unknown_name(where, "key", word, keys);
}

void set_link_speed(SwitchLine& line, std::string_view where, std::string_view value) {
  const std::string option = fmt::format("{}: LinkSpeed", where);
  const auto [speed, unit] = text::leading_number(option, value);
  if (!(speed > 0)) {
    throw text::bad_value(option, value,
                          "is no speed; legal: more than 0, as a multiple of a host's link");
  }
  if (unit.empty()) {
    line.link_speed = speed;
  } else {
    line.unused_speed = value;
  }
}

std::string parse_name(std::string_view where, std::string_view value) {
  std::vector<std::string> names = expand_host_list(where, value);
  if (names.size() != 1) {
    throw text::bad_value(where, value, "is not one name; a line is one switch");
  }
  return std::move(names.front());
}

/// "Key=value" of a line, in order.
struct Entry {
  std::string_view key;
  std::string_view value;
};

const LineKind& kind_of(std::string_view where, std::string_view text) {
  const std::string_view first = take_key(where, first_keys, text);
  return *std::ranges::find(kinds, first, &LineKind::first);
}

/// Each key stands once in a line.
std::vector<Entry> parse_entries(std::string_view where, const LineKind& kind,
                                 std::string_view text) {
  std::vector<Entry> entries;
  for (skip_spaces(text); !text.empty(); skip_spaces(text)) {
    const std::string_view key = take_key(where, kind.keys, text);
    if (std::ranges::find(entries, key, &Entry::key) != entries.end()) {
      throw text::InputError(fmt::format("{}: {}= stands twice in the line", where, key));
    }
    entries.push_back({key, take_value(where, text)});
  }
  return entries;
}

void require_printable(std::string_view where, std::string_view text) {
  for (const char c : text) {
    if ((c >= ' ' && c <= '~') || c == '\t') continue;
    throw text::InputError(fmt::format("{}: byte 0x{:02x} is no printable ASCII", where,
                                       static_cast<unsigned char>(c)));
  }
}

/// The switches of a file's lines, and the block sizes if they are blocks.
class Reader {
 public:
  void read(const text::ConfigLine& logical) {
    const std::string where = fmt::format("{}:{}", logical.file, logical.line);
    require_printable(where, logical.text);
    std::string_view text = logical.text;
    skip_spaces(text);
    const LineKind& kind = kind_of(where, text);
    const std::vector<Entry> entries = parse_entries(where, kind, text);
    SwitchLine line{.file = logical.file, .line = logical.line};
    for (const Entry& entry : entries) read(where, entry, line);
    if (kind.first == "SwitchName" || kind.first == "BlockName") add(where, kind, std::move(line));
  }

  std::vector<SwitchLine> finish() {
    if (!switches_.empty() && !blocks_.empty()) {
      const SwitchLine& block = blocks_.front();
      throw text::InputError(
          fmt::format("{}:{}: a file is of switches or of blocks; SwitchName= stands in line {}",
                      block.file, block.line, switches_.front().line));
    }
    std::ranges::sort(listed_sizes_);
    listed_sizes_.erase(std::unique(listed_sizes_.begin(), listed_sizes_.end()),
                        listed_sizes_.end());
    if (sizes_.empty() && !blocks_.empty()) {
      require_block_sizes(fmt::format("{}: BlockSize=", blocks_.front().file), listed_sizes_);
      sizes_ = listed_sizes_;
    }
    join_blocks(blocks_, sizes_);
    return switches_.empty() ? std::move(blocks_) : std::move(switches_);
  }

 private:
  void read(std::string_view where, const Entry& entry, SwitchLine& line) {
    const auto& [key, value] = entry;
    if (value.empty()) {
      if (key == "Nodes" || key == "Switches") return;
      throw text::InputError(fmt::format("{}: {}= has no value", where, key));
    }
    if (key == "SwitchName" || key == "BlockName") line.name = parse_name(where, value);
    if (key == "Nodes") set_hosts(line, where, value);
    if (key == "Switches") line.switches = expand_names(where, value);
    if (key == "LinkSpeed") set_link_speed(line, where, value);
    if (key == "BlockSize") listed_sizes_.push_back(parse_size(where, key, value));
    if (key == "BlockSizes") read_sizes(where, value);
  }

  static std::int64_t parse_size(std::string_view where, std::string_view key,
                                 std::string_view value) {
    return text::parse_integer(fmt::format("{}: {}", where, key), value, 1, std::int64_t{1} << 40);
  }

  void read_sizes(std::string_view where, std::string_view value) {
    sizes_.clear();
    for (const std::string_view size : text::split(value, ',')) {
      sizes_.push_back(parse_size(where, "BlockSizes", size));
    }
    require_block_sizes(fmt::format("{}: BlockSizes", where), sizes_);
  }

  void add(std::string_view where, const LineKind& kind, SwitchLine line) {
    names_ += line.hosts.size() + line.switches.size();
    if (names_ > most_host_list_names) {
      throw text::InputError(
          fmt::format("{}: more than {} hosts and switches in the lists up to here", where,
                      most_host_list_names));
    }
    (kind.first == "SwitchName" ? switches_ : blocks_).push_back(std::move(line));
  }

  std::vector<SwitchLine> switches_;
  std::vector<SwitchLine> blocks_;
  std::vector<std::int64_t> sizes_;         // of BlockSizes=
  std::vector<std::int64_t> listed_sizes_;  // of BlockSize=, which scontrol writes
  std::size_t names_ = 0;
};

}  // namespace

std::vector<SwitchLine> parse_topology_file(std::string_view file_name, std::string_view text) {
  Reader reader;
  for (const text::ConfigLine& line : text::config_lines(file_name, text)) reader.read(line);
  return reader.finish();
}

}  // namespace gatherbench::topology
