// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/topology_yaml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

#include "algorithms/topology/host_list.h"
#include "formats/text/config_lines.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/words.h"
#include "formats/text/yaml.h"

namespace gatherbench::topology {
namespace {

using text::Yaml;
using Kind = Yaml::Kind;

constexpr std::array<std::string_view, 3> types{"tree", "block", "flat"};
constexpr std::array<std::string_view, 2> other_types{"ring", "torus3d"};

class Reader {
 public:
  explicit Reader(std::string_view file_name) : file_name_(file_name) {}

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

  /// `known` are keys that are legal in Slurm and of no use here.
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

  /// A host list, or a list of them; empty if it is not there or has no value.
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
    constexpr std::array<std::string_view, 3> switch_keys{"switch", "children", "nodes"};
    require_map(tree, keys);
    return read_list(require(tree, "switches"), "switch", switch_keys);
  }

  std::vector<SwitchLine> read_blocks(const Yaml& block) {
    constexpr std::array<std::string_view, 2> keys{"block_sizes", "blocks"};
    constexpr std::array<std::string_view, 2> block_keys{"block", "nodes"};
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
    std::vector<SwitchLine> blocks = read_list(require(block, "blocks"), "block", block_keys);
    join_blocks(blocks, sizes);
    return blocks;
  }

  /// "flat: true", or "flat:" with settings of its own.
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
  Reader reader(file_name);
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
