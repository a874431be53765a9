// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/switch_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algorithms/topology/topology_file.h"
#include "formats/text/input_error.h"

namespace gatherbench::topology {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// How the lines of a file, by index, hang together.
struct Links {
  std::vector<std::size_t> parent;  // none: a root
  std::vector<std::vector<std::size_t>> children;
};

template <typename... Args>
[[noreturn]] void fail(std::string_view file_name, const SwitchLine& at,
                       fmt::format_string<Args...> reason, Args&&... args) {
  throw text::InputError(fmt::format("{}:{}: {}", file_name, at.line,
                                     fmt::format(reason, std::forward<Args>(args)...)));
}

std::unordered_map<std::string_view, std::size_t> index_by_name(
    std::string_view file_name, const std::vector<SwitchLine>& lines) {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto [found, is_new] = index.emplace(lines[i].name, i);
    if (is_new) continue;
    fail(file_name, lines[i], "switch '{}' is already defined in line {}", lines[i].name,
         lines[found->second].line);
  }
  return index;
}

Links find_links(std::string_view file_name, const std::vector<SwitchLine>& lines) {
  const auto index = index_by_name(file_name, lines);
  Links links{std::vector<std::size_t>(lines.size(), none), {}};
  links.children.resize(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& name : lines[i].switches) {
      const auto found = index.find(name);
      if (found == index.end()) {
        fail(file_name, lines[i], "no line defines switch '{}', which is below '{}'", name,
             lines[i].name);
      }
      std::size_t& parent = links.parent[found->second];
      if (parent != none) {
        fail(file_name, lines[i], "switch '{}' is already below switch '{}' (line {})", name,
             lines[parent].name, lines[parent].line);
      }
      parent = i;
      links.children[i].push_back(found->second);
    }
  }
  return links;
}

/// All switches below `root`, itself first, in depth-first order.
std::vector<std::size_t> depth_first(const Links& links, std::size_t root) {
  std::vector<std::size_t> order;
  std::vector<std::size_t> open{root};
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    order.push_back(next);
    open.insert(open.end(), links.children[next].rbegin(), links.children[next].rend());
  }
  return order;
}

/// As each switch has at most one parent, one that no root is above is in a cycle or below one.
[[noreturn]] void fail_for_cycle(std::string_view file_name, const std::vector<SwitchLine>& lines,
                                 const Links& links, std::size_t from) {
  for (std::size_t i = 0; i < lines.size(); ++i) from = links.parent[from];
  const std::size_t in_cycle = from;
  for (std::size_t i = links.parent[in_cycle]; i != in_cycle; i = links.parent[i]) {
    from = std::min(from, i);  // the first line of the cycle
  }
  fail(file_name, lines[from], "a cycle: switch '{}' is below '{}', and that is below it",
       lines[from].name, lines[links.parent[from]].name);
}

std::vector<std::size_t> order_of_tree(std::string_view file_name,
                                       const std::vector<SwitchLine>& lines, const Links& links) {
  std::vector<std::size_t> roots;
  std::vector<std::size_t> order;
  std::vector<bool> below_root(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (links.parent[i] != none) continue;
    roots.push_back(i);
    const auto below = depth_first(links, i);
    for (const std::size_t each : below) below_root[each] = true;
    if (roots.size() == 1) order = below;
  }
  const auto lost = std::ranges::find(below_root, false);
  if (lost != below_root.end()) {
    fail_for_cycle(file_name, lines, links, static_cast<std::size_t>(lost - below_root.begin()));
  }
  if (roots.size() > 1) {
    fail(file_name, lines[roots[1]],
         "switch '{}' is below no other, and neither is '{}' (line {}): a tree has one root",
         lines[roots[1]].name, lines[roots[0]].name, lines[roots[0]].line);
  }
  return order;
}

void require_hosts_once(std::string_view file_name, const std::vector<SwitchLine>& lines) {
  std::unordered_map<std::string_view, const SwitchLine*> seen;
  for (const SwitchLine& line : lines) {
    for (const std::string& host : line.hosts) {
      const auto [found, is_new] = seen.emplace(host, &line);
      if (is_new) continue;
      fail(file_name, line, "host '{}' of switch '{}' is already on switch '{}' (line {})", host,
           line.name, found->second->name, found->second->line);
    }
  }
}

}  // namespace

SwitchTree SwitchTree::parse(std::string_view file_name, std::string_view text) {
  std::vector<SwitchLine> lines = parse_topology_file(file_name, text);
  if (lines.empty()) {
    throw text::InputError(
        fmt::format("{}: the file has no switch; legal: SwitchName=NAME Nodes=HOSTS", file_name));
  }
  require_hosts_once(file_name, lines);
  const Links links = find_links(file_name, lines);
  const std::vector<std::size_t> order = order_of_tree(file_name, lines, links);
  std::vector<int> id(lines.size());
  for (std::size_t i = 0; i < order.size(); ++i) id[order[i]] = static_cast<int>(i);

  SwitchTree tree;
  for (const std::size_t i : order) {
    tree.first_child_.push_back(static_cast<int>(tree.children_.size()));
    for (const std::size_t child : links.children[i]) tree.children_.push_back(id[child]);
    tree.first_host_.push_back(tree.hosts());
    for (std::string& name : lines[i].hosts) {
      tree.host_by_name_.emplace(name, tree.hosts());
      tree.host_ids_.push_back(tree.hosts());
      tree.host_names_.push_back(std::move(name));
      tree.switch_of_.push_back(id[i]);
    }
    tree.link_speed_.push_back(lines[i].link_speed);
    tree.parent_.push_back(links.parent[i] == none ? -1 : id[links.parent[i]]);
    tree.switch_names_.push_back(std::move(lines[i].name));
  }
  tree.first_child_.push_back(static_cast<int>(tree.children_.size()));
  tree.first_host_.push_back(tree.hosts());
  return tree;
}

std::optional<int> SwitchTree::find_host(std::string_view name) const {
  const auto found = host_by_name_.find(name);
  if (found == host_by_name_.end()) return std::nullopt;
  return found->second;
}

std::span<const int> SwitchTree::part_of(const std::vector<int>& values,
                                         const std::vector<int>& begins, int id) {
  const auto first = static_cast<std::size_t>(at(begins, id));
  const auto last = static_cast<std::size_t>(at(begins, id + 1));
  return std::span(values).subspan(first, last - first);
}

std::span<const int> SwitchTree::children(int id) const {
  return part_of(children_, first_child_, id);
}

std::span<const int> SwitchTree::hosts_on(int id) const {
  return part_of(host_ids_, first_host_, id);
}

Network::LinkEnds SwitchTree::link_ends(int link) const {
  const int edge = link / 2;  // of the host or switch below it, hosts first, without the root
  const bool is_host = edge < hosts();
  const int id = is_host ? edge : edge - hosts() + 1;
  const LinkEnds up{is_host ? host_name(id) : switch_name(id),
                    switch_name(is_host ? switch_of(id) : parent(id))};
  return link % 2 == 0 ? up : LinkEnds{up.to, up.from};
}

double SwitchTree::link_speed(int link) const {
  const int edge = link / 2;  // as in link_ends()
  return edge < hosts() ? 1 : uplink_speed(edge - hosts() + 1);
}

void SwitchTree::add_links(int from_host, int to_host, std::vector<int>& links) const {
  if (from_host == to_host) return;
  links.push_back(host_up_link(from_host));
  links.push_back(host_up_link(to_host) + 1);
  int from = switch_of(from_host);
  int to = switch_of(to_host);
  while (from != to) {
    // The one with the larger id is not above the other, so the path goes through its parent.
    if (from > to) {
      links.push_back(switch_up_link(from));
      from = parent(from);
    } else {
      links.push_back(switch_up_link(to) + 1);
      to = parent(to);
    }
  }
}

int SwitchTree::path_length(int from_host, int to_host) const {
  std::vector<int> links;
  add_links(from_host, to_host, links);
  return std::max(0, static_cast<int>(links.size()) - 1);
}

}  // namespace gatherbench::topology
