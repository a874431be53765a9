// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/topology_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "algorithms/topology/host_list.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/read_file.h"
#include "formats/text/words.h"
#include "formats/text/yaml.h"

namespace gatherbench::topology {
namespace {

/// A node that gets a switch above it: a block, or a switch above several blocks.
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

/// Returns the names of Nodes= or Switches=, each once.
std::vector<std::string> expand_names(std::string_view where, std::string_view list) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (std::string& name : expand_host_list(where, list)) {
    if (seen.insert(name).second) names.push_back(std::move(name));
  }
  return names;
}

/// Sets the hosts to those of Nodes=.
void set_hosts(SwitchLine& line, std::string_view where, std::string_view list) {
  line.all_hosts = text::equal_but_for_case(list, "ALL");
  if (!line.all_hosts) line.hosts = expand_names(where, list);
}

/// Throws InputError, which begins with `where`, unless each size is the first one times a power of
/// two, and larger than the one before.
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

/// Adds the switches above the blocks.
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

/// Returns what stands in `text` before the first character of `ends`, and removes it from `text`.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::string_view part = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(part.size());
  return part;
}

/// Returns the value that `text` begins with, without quotes, and removes it from `text`. Empty if
/// there is none: scontrol writes "Nodes= Switches=s0", and some tools "Nodes=(null)".
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

/// Returns the entries of a line. Throws InputError for an illegal key, or one that stands twice.
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

namespace {

using text::Yaml;
using Kind = Yaml::Kind;

constexpr std::array<std::string_view, 3> types{"tree", "block", "flat"};
constexpr std::array<std::string_view, 2> other_types{"ring", "torus3d"};

class YamlReader {
 public:
  explicit YamlReader(std::string_view file_name) : file_name_(file_name) {}

  Topology read(const Yaml& node) {
    constexpr std::array<std::string_view, 5> keys{"topology", "cluster_default", "tree", "block",
                                                   "flat"};
    require_map(node, keys, other_types);
    Topology topology{.name = scalar(require(node, "topology"))};
    const Yaml* const is_default = find(node, "cluster_default");
    topology.is_default = is_default != nullptr && is_true(*is_default);
    for (const Yaml& child : node.children) {
      if (child.key == "tree") topology.switches = read_tree(child);
      if (child.key == "block") topology.switches = read_blocks(child);
      if (child.key == "flat") topology.switches = read_flat(child, topology.name);
      if (std::ranges::find(other_types, child.key) == other_types.end()) continue;
      topology.unusable = fmt::format("{}: '{}' is no tree of switches; legal: {}", where(child),
                                      child.key, fmt::join(types, ", "));
    }
    if (topology.switches.empty() && topology.unusable.empty()) {
      topology.unusable = fmt::format("{}: topology '{}' has no switch; legal: {} with one",
                                      where(node), topology.name, fmt::join(types, ", "));
    }
    return topology;
  }

 private:
  [[nodiscard]] std::string where(const Yaml& node) const {
    return fmt::format("{}:{}", file_name_, node.line);
  }

  [[noreturn]] void fail(const Yaml& node, std::string_view reason) const {
    throw text::InputError(fmt::format("{}: {}", where(node), reason));
  }

  /// Throws InputError unless the node is a map whose keys are all in `keys` or `known`, which has
  /// keys that are legal in Slurm and of no use here.
  void require_map(const Yaml& node, std::span<const std::string_view> keys,
                   std::span<const std::string_view> known = {}) const {
    if (node.kind != Kind::map) {
      fail(node, fmt::format("is no list of values with keys; legal: {}", fmt::join(keys, ", ")));
    }
    for (const Yaml& child : node.children) {
      if (std::ranges::find(keys, child.key) != keys.end()) continue;
      if (std::ranges::find(known, child.key) != known.end()) continue;
      throw text::unknown_name(where(child), "key", child.key, keys);
    }
  }

  static const Yaml* find(const Yaml& map, std::string_view key) {
    const auto found = std::ranges::find(map.children, key, &Yaml::key);
    return found == map.children.end() ? nullptr : &*found;
  }

  const Yaml& require(const Yaml& map, std::string_view key) const {
    if (const Yaml* const found = find(map, key)) return *found;
    fail(map, fmt::format("has no '{}'", key));
  }

  [[nodiscard]] const std::string& scalar(const Yaml& node) const {
    if (node.kind != Kind::scalar || node.value.empty()) {
      fail(node, fmt::format("'{}' is no text", node.key));
    }
    return node.value;
  }

  [[nodiscard]] bool is_true(const Yaml& node) const {
    const std::string& value = scalar(node);
    for (const std::string_view yes : {"true", "yes", "on", "1"}) {
      if (text::equal_but_for_case(value, yes)) return true;
    }
    for (const std::string_view no : {"false", "no", "off", "0"}) {
      if (text::equal_but_for_case(value, no)) return false;
    }
    throw text::bad_value(fmt::format("{}: {}", where(node), node.key), value,
                          "is neither true nor false");
  }

  /// Returns the host list under a key, or the list of several that stand there, joined by commas;
  /// empty if the key is not there or has no value.
  std::string names(const Yaml& map, std::string_view key) const {
    const Yaml* const node = find(map, key);
    if (node == nullptr) return {};
    if (node->kind == Kind::scalar) {
      const bool is_nothing = node->value == "~" || text::equal_but_for_case(node->value, "null");
      return is_nothing ? std::string() : node->value;
    }
    if (node->kind == Kind::map) fail(*node, fmt::format("'{}' is no list of names", key));
    std::string list;
    for (const Yaml& item : node->children) {
      list += (list.empty() ? "" : ",") + scalar(item);
    }
    return list;
  }

  /// Reads the list of "switches:" or "blocks:", in which each has a name under this key.
  std::vector<SwitchLine> read_list(const Yaml& list, std::string_view name_key,
                                    std::span<const std::string_view> keys) {
    const bool is_nothing = list.kind == Kind::scalar && list.value.empty();
    if (list.kind != Kind::list && !is_nothing) {
      fail(list, fmt::format("'{}' is no list", list.key));
    }
    std::vector<SwitchLine> lines;
    for (const Yaml& node : list.children) {
      require_map(node, keys);
      SwitchLine line{.file = std::string(file_name_), .line = node.line};
      line.name = scalar(require(node, name_key));
      const std::string nodes = names(node, "nodes");
      if (!nodes.empty()) set_hosts(line, where(node), nodes);
      const std::string children = names(node, "children");
      if (!children.empty()) line.switches = expand_names(where(node), children);
      count_names(node, line);
      lines.push_back(std::move(line));
    }
    return lines;
  }

  void count_names(const Yaml& node, const SwitchLine& line) {
    names_ += line.hosts.size() + line.switches.size();
    if (names_ <= most_host_list_names) return;
    fail(node, fmt::format("more than {} hosts and switches in the lists up to here",
                           most_host_list_names));
  }

  std::vector<SwitchLine> read_tree(const Yaml& tree) {
    constexpr std::array<std::string_view, 1> keys{"switches"};
    constexpr std::array<std::string_view, 3> keys_of_switch{"switch", "children", "nodes"};
    require_map(tree, keys);
    return read_list(require(tree, "switches"), "switch", keys_of_switch);
  }

  std::vector<SwitchLine> read_blocks(const Yaml& block) {
    constexpr std::array<std::string_view, 2> keys{"block_sizes", "blocks"};
    constexpr std::array<std::string_view, 2> keys_of_block{"block", "nodes"};
    require_map(block, keys);
    std::vector<std::int64_t> sizes;
    if (const Yaml* const given = find(block, "block_sizes")) {
      const std::string option = where(*given) + ": block_sizes";
      const std::string list = names(block, "block_sizes");
      for (const std::string_view size : text::split(list, ',')) {
        sizes.push_back(text::parse_integer(option, size, 1, std::int64_t{1} << 40));
      }
      require_block_sizes(option, sizes);
    }
    std::vector<SwitchLine> blocks = read_list(require(block, "blocks"), "block", keys_of_block);
    join_blocks(blocks, sizes);
    return blocks;
  }

  /// Returns one switch with all hosts for "flat: true", or "flat:" with settings of its own; no
  /// switch for "flat: false".
  [[nodiscard]] std::vector<SwitchLine> read_flat(const Yaml& flat, const std::string& name) const {
    if (flat.kind != Kind::map && !is_true(flat)) return {};
    SwitchLine line{.file = std::string(file_name_), .line = flat.line, .name = name};
    line.all_hosts = true;
    return {line};
  }

  std::string_view file_name_;
  std::size_t names_ = 0;
};

}  // namespace

bool is_topology_yaml(std::string_view text) {
  const std::vector<text::ConfigLine> lines = text::config_lines("", text);
  if (lines.empty()) return false;
  std::string_view first = lines.front().text;
  first.remove_prefix(first.find_first_not_of(" \t"));
  const std::size_t colon = first.find(':');
  return std::string_view("-[{%").find(first.front()) != std::string_view::npos ||
         (colon != std::string_view::npos && colon < first.find('='));
}

std::vector<Topology> parse_topology_yaml(std::string_view file_name, std::string_view text) {
  text = text::without_byte_order_mark(text);
  const Yaml file = text::parse_yaml(file_name, text);
  YamlReader reader(file_name);
  std::vector<Topology> topologies;
  if (file.kind != Kind::list) {
    topologies.push_back(reader.read(file));
  } else {
    for (const Yaml& node : file.children) topologies.push_back(reader.read(node));
  }
  if (topologies.empty()) {
    throw text::InputError(fmt::format("{}: the file has no topology", file_name));
  }
  return topologies;
}

}  // namespace gatherbench::topology
