// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/switch_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "algorithms/topology/switch_forest.h"
#include "algorithms/topology/topology_file.h"
#include "algorithms/topology/topology_yaml.h"
#include "formats/text/input_error.h"

namespace gatherbench::topology {
namespace {

/// Returns the one of several topologies that counts: the cluster's default, or the first one that
/// has all hosts.
Topology choose_topology(std::vector<Topology> all, std::span<const std::string> hosts,
                         std::vector<std::string>& notes) {
  std::stable_partition(all.begin(), all.end(),
                        [](const Topology& topology) { return topology.is_default; });
  const auto has_all = [&](const Topology& topology) {
    if (!topology.unusable.empty()) return false;
    HostIndex index;
    for (const SwitchLine& line : topology.switches) {
      if (line.all_hosts) return true;
      for (const std::string& host : line.hosts) index.add(host, 0);
    }
    return std::ranges::all_of(
        hosts, [&](const std::string& host) { return index.find(host).has_value(); });
  };
  auto chosen = std::ranges::find_if(all, has_all);
  if (chosen == all.end()) chosen = all.begin();
  if (!chosen->unusable.empty()) throw text::InputError(chosen->unusable);
  if (all.size() > 1) {
    notes.push_back(
        fmt::format("of {} topologies in the file, '{}' counts", all.size(), chosen->name));
  }
  return std::move(*chosen);
}

std::vector<SwitchLine> read_lines(std::string_view file_name, std::string_view text,
                                   std::span<const std::string> hosts,
                                   std::vector<std::string>& notes) {
  if (!is_topology_yaml(text)) return parse_topology_file(file_name, text);
  return choose_topology(parse_topology_yaml(file_name, text), hosts, notes).switches;
}

/// Nodes=ALL to names.
void name_all_hosts(std::vector<SwitchLine>& lines, std::span<const std::string> hosts) {
  for (SwitchLine& line : lines) {
    if (!line.all_hosts) continue;
    if (hosts.empty()) {
      throw text::InputError(fmt::format(
          "{}:{}: switch '{}' has all hosts, whose names are not known here; legal: a list such as "
          "n[0-15], real hosts, or --hosts of allgather_schedule",
          line.file, line.line, line.name));
    }
    std::unordered_set<std::string_view> seen;
    std::ranges::copy_if(hosts, std::back_inserter(line.hosts),
                         [&](const std::string& host) { return seen.insert(host).second; });
  }
}

void note_speeds(std::span<const SwitchLine> lines, std::vector<std::string>& notes) {
  const auto unused = std::ranges::find_if(
      lines, [](const SwitchLine& line) { return !line.unused_speed.empty(); });
  if (unused != lines.end()) {
    notes.push_back(
        fmt::format("LinkSpeed={} is not used: only a number says how fast a link is, "
                    "as a multiple of a host's link",
                    unused->unused_speed));
  }
  const auto whole = std::ranges::find_if(lines, [](const SwitchLine& line) {
    return line.link_speed > 1 && std::floor(line.link_speed) == line.link_speed;
  });
  if (whole != lines.end()) {
    notes.push_back(
        fmt::format("LinkSpeed={} is taken for a multiple of a host's link; Slurm "
                    "leaves its unit open",
                    whole->link_speed));
  }
}

}  // namespace

SwitchTree SwitchTree::parse(std::string_view file_name, std::string_view text,
                             std::span<const std::string> hosts) {
  SwitchTree tree;
  std::vector<SwitchLine> lines = read_lines(file_name, text, hosts, tree.notes_);
  if (lines.empty()) {
    throw text::InputError(
        fmt::format("{}: the file has no switch; legal: SwitchName=NAME Nodes=HOSTS", file_name));
  }
  name_all_hosts(lines, hosts);
  const SwitchForest forest(lines);
  const std::size_t top = forest.root_of(hosts);
  tree.add_switches(lines, forest, top);
  if (tree.hosts() == 0) {
    throw text::InputError(
        fmt::format("{}: no switch has a host; legal: SwitchName=NAME Nodes=HOSTS", file_name));
  }
  std::ranges::copy(forest.notes(), std::back_inserter(tree.notes_));
  note_speeds(lines, tree.notes_);
  if (lines[top].name == all_blocks) {
    tree.notes_.push_back(fmt::format("the blocks count as below one switch, '{}'", all_blocks));
  }
  const bool has_others = std::ranges::any_of(
      forest.roots(), [&](std::size_t other) { return other != top && forest.has_hosts(other); });
  if (has_others) {
    tree.notes_.push_back(
        fmt::format("no switch joins all of {}: only the {} hosts below '{}' (line {}) count",
                    file_name, tree.hosts(), lines[top].name, lines[top].line));
  }
  return tree;
}

void SwitchTree::add_switches(const std::vector<SwitchLine>& lines, const SwitchForest& forest,
                              std::size_t top) {
  const std::vector<std::size_t> order = forest.depth_first(top);
  std::vector<int> id(lines.size());
  for (std::size_t i = 0; i < order.size(); ++i) id[order[i]] = static_cast<int>(i);
  for (const std::size_t i : order) {
    first_child_.push_back(static_cast<int>(children_.size()));
    for (const std::size_t child : forest.children(i)) children_.push_back(id[child]);
    first_host_.push_back(hosts());
    for (const std::string* const name : forest.hosts(i)) {
      host_index_.add(*name, hosts());
      host_ids_.push_back(hosts());
      host_names_.push_back(*name);
      switch_of_.push_back(id[i]);
    }
    link_speed_.push_back(forest.link_speed(i));
    parent_.push_back(i == top ? -1 : id[forest.parent(i)]);
    switch_names_.push_back(lines[i].name);
  }
  first_child_.push_back(static_cast<int>(children_.size()));
  first_host_.push_back(hosts());
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
