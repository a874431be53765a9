// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/switch_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "algorithms/topology/host_list.h"
#include "algorithms/topology/topology_file.h"
#include "formats/text/input_error.h"

namespace gatherbench::topology {
namespace {

constexpr std::size_t most_named = 3;  // in a note

template <typename... Args>
[[noreturn]] void fail(const SwitchLine& at, fmt::format_string<Args...> reason, Args&&... args) {
  throw text::InputError(
      fmt::format("{}:{}: {}", at.file, at.line, fmt::format(reason, std::forward<Args>(args)...)));
}

/// Returns where a line stands: "line 3", or "FILE:3" if that is in another file than `at`.
std::string place_of(const SwitchLine& line, const SwitchLine& at) {
  if (line.file == at.file) return fmt::format("line {}", line.line);
  return fmt::format("{}:{}", line.file, line.line);
}

std::unordered_map<std::string_view, std::size_t> index_by_name(
    const std::vector<SwitchLine>& lines) {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto [found, is_new] = index.emplace(lines[i].name, i);
    if (is_new) continue;
    fail(lines[i], "switch '{}' is already defined in {}", lines[i].name,
         place_of(lines[found->second], lines[i]));
  }
  return index;
}

}  // namespace

/// The connections of a file's switches: one tree or several.
///
/// Switches that are above the same switch or host are parallel (the spines of a fat tree, the two
/// rails of a rack) and count as one, of the first one's name, with the links of all. A host that
/// is also named by a switch above its own, as "scontrol show topology" does, is on the lower one.
class SwitchForest {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// Throws InputError, "FILE:LINE: reason", for a switch that is defined twice, for one in
  /// Switches= that no line defines, and for a cycle. The lines have to outlive it.
  explicit SwitchForest(const std::vector<SwitchLine>& lines);

  // The id of a switch is the index of its line; of several that count as one, that of the first.
  [[nodiscard]] const std::vector<std::size_t>& children(std::size_t id) const {
    return children_[id];
  }
  [[nodiscard]] std::size_t parent(std::size_t id) const { return parent_[id]; }
  [[nodiscard]] const std::vector<const std::string*>& hosts(std::size_t id) const {
    return hosts_[id];
  }
  /// Returns the speed of all its links to the switch above together.
  [[nodiscard]] double link_speed(std::size_t id) const { return speed_[id]; }
  [[nodiscard]] const std::vector<std::size_t>& roots() const { return roots_; }
  /// Returns a switch and all below it, in depth-first order.
  [[nodiscard]] std::vector<std::size_t> depth_first(std::size_t root) const;

  /// Returns the root of the tree that has these hosts, of which those that no tree has do not
  /// count; if none counts, the root with most hosts. Throws InputError if several trees have them.
  [[nodiscard]] std::size_t root_of(std::span<const std::string> hosts) const;

  /// Returns true if there are hosts on or below a switch.
  [[nodiscard]] bool has_hosts(std::size_t root) const;

  /// Returns the decisions that were made: which switches count as one.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  std::size_t first_of(std::size_t id);
  void unite(std::size_t a, std::size_t b);
  void link_switches();
  /// The lowest switch of each host, by the host's name.
  using Places = std::unordered_map<std::string_view, std::size_t>;
  /// Returns the places, and unites switches that have a host in common if none is above the other.
  [[nodiscard]] Places lowest_places();
  void place_hosts();
  void arrange();
  void find_roots();
  [[noreturn]] void fail_for_cycle(std::size_t from) const;

  const std::vector<SwitchLine>* lines_;
  std::vector<std::size_t> same_as_;  // another line of the same switch; itself for the first
  std::vector<std::size_t> parent_;   // none: a root
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::vector<const std::string*>> hosts_;
  std::vector<double> speed_;
  std::vector<std::size_t> roots_;
  std::vector<std::size_t> enter_;  // the switches below one are those from enter_ to leave_
  std::vector<std::size_t> leave_;
};

SwitchForest::SwitchForest(const std::vector<SwitchLine>& lines)
    : lines_(&lines),
      same_as_(lines.size()),
      parent_(lines.size(), none),
      speed_(lines.size()),
      enter_(lines.size()),
      leave_(lines.size()) {
  std::iota(same_as_.begin(), same_as_.end(), std::size_t{0});
  link_switches();
  arrange();
  place_hosts();
}

std::size_t SwitchForest::first_of(std::size_t id) {
  while (same_as_[id] != id) {
    same_as_[id] = same_as_[same_as_[id]];  // so that no chain gets long
    id = same_as_[id];
  }
  return id;
}

/// Makes two switches count as one. Those above them are above the same switch then and count as
/// one too, and so on upwards.
void SwitchForest::unite(std::size_t a, std::size_t b) {
  std::vector<std::pair<std::size_t, std::size_t>> open{{a, b}};
  while (!open.empty()) {
    const std::size_t one = first_of(open.back().first);
    const std::size_t other = first_of(open.back().second);
    open.pop_back();
    if (one == other) continue;
    const auto [first, second] = std::minmax(one, other);
    same_as_[second] = first;
    if (parent_[first] == none) {
      parent_[first] = parent_[second];
    } else if (parent_[second] != none) {
      open.emplace_back(parent_[first], parent_[second]);
    }
  }
}

void SwitchForest::link_switches() {
  const std::vector<SwitchLine>& lines = *lines_;
  const auto index = index_by_name(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& name : lines[i].switches) {
      const auto found = index.find(name);
      if (found == index.end()) {
        fail(lines[i],
             "no line defines switch '{}', which is below '{}'; legal: a line for each switch",
             name, lines[i].name);
      }
      speed_[found->second] += lines[found->second].link_speed;
      const std::size_t child = first_of(found->second);
      if (parent_[child] == none) {
        parent_[child] = i;
      } else {
        unite(parent_[child], i);
      }
    }
  }
}

/// Sets the parents, the children and the roots anew, for switches of which some count as one.
void SwitchForest::arrange() {
  const std::vector<SwitchLine>& lines = *lines_;
  for (std::size_t& same : same_as_) same = first_of(same);
  children_.assign(lines.size(), {});
  roots_.clear();
  const auto index = index_by_name(lines);
  std::vector<bool> seen(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& name : lines[i].switches) {
      const std::size_t child = first_of(index.at(name));
      if (seen[child]) continue;
      seen[child] = true;
      parent_[child] = first_of(i);
      children_[first_of(i)].push_back(child);
    }
  }
  find_roots();
}

void SwitchForest::find_roots() {
  std::vector<bool> below_root(lines_->size());
  std::size_t entered = 0;
  for (std::size_t i = 0; i < lines_->size(); ++i) {
    if (first_of(i) != i || parent_[i] != none) continue;
    roots_.push_back(i);
    const std::vector<std::size_t> order = depth_first(i);
    for (const std::size_t each : order) {
      below_root[each] = true;
      enter_[each] = entered++;
      leave_[each] = entered;
    }
    // Nodes below a switch come after it in the order, so its end is known when theirs are.
    for (auto each = order.rbegin(); each != order.rend() && *each != i; ++each) {
      std::size_t& leave = leave_[parent_[*each]];
      leave = std::max(leave, leave_[*each]);
    }
  }
  for (std::size_t i = 0; i < lines_->size(); ++i) {
    if (first_of(i) == i && !below_root[i]) fail_for_cycle(i);
  }
}

std::vector<std::size_t> SwitchForest::depth_first(std::size_t root) const {
  std::vector<std::size_t> order;
  std::vector<std::size_t> open{root};
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    order.push_back(next);
    open.insert(open.end(), children_[next].rbegin(), children_[next].rend());
  }
  return order;
}

/// Throws InputError for the cycle that this switch is in or below. Each switch has at most one
/// parent, so there is a cycle if no root is above the switch.
void SwitchForest::fail_for_cycle(std::size_t from) const {
  const std::vector<SwitchLine>& lines = *lines_;
  for (std::size_t i = 0; i < lines.size(); ++i) from = parent_[from];
  std::vector<bool> in_cycle(lines.size());
  for (std::size_t i = from; !in_cycle[i]; i = parent_[i]) {
    in_cycle[i] = true;
    from = std::min(from, i);  // the first line of the cycle
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t first = same_as_[i];
    if (first == i || !in_cycle[first]) continue;
    fail(lines[i],
         "switches '{}' and '{}' ({}) are above the same switch or host, and one is below the "
         "other; legal: leave it out of the Switches= or Nodes= of the upper one",
         lines[i].name, lines[first].name, place_of(lines[first], lines[i]));
  }
  fail(lines[from], "a cycle: switch '{}' is below '{}', and that is below it", lines[from].name,
       lines[parent_[from]].name);
}

SwitchForest::Places SwitchForest::lowest_places() {
  const std::vector<SwitchLine>& lines = *lines_;
  const auto is_above = [&](std::size_t high, std::size_t low) {
    return enter_[high] <= enter_[low] && enter_[low] < leave_[high];
  };
  Places place;
  std::vector<std::pair<std::size_t, std::size_t>> parallel;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t own = first_of(i);
    for (const std::string& host : lines[i].hosts) {
      const auto [found, is_new] = place.emplace(host, own);
      if (is_new || is_above(own, found->second)) continue;
      if (!is_above(found->second, own)) parallel.emplace_back(found->second, own);
      found->second = own;
    }
  }
  for (const auto& [one, other] : parallel) unite(one, other);
  if (!parallel.empty()) arrange();
  return place;
}

void SwitchForest::place_hosts() {
  const std::vector<SwitchLine>& lines = *lines_;
  Places place = lowest_places();
  hosts_.assign(lines.size(), {});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& host : lines[i].hosts) {
      const auto found = place.find(host);
      if (found == place.end() || first_of(found->second) != first_of(i)) continue;
      hosts_[first_of(i)].push_back(&host);
      place.erase(found);
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t first = first_of(i);
    if (first != i) speed_[first] += speed_[i];
  }
  for (const std::size_t root : roots_) speed_[root] = lines[root].link_speed;
}

std::size_t SwitchForest::root_of(std::span<const std::string> hosts) const {
  const std::vector<SwitchLine>& lines = *lines_;
  HostIndex index;
  std::vector<std::size_t> tree;  // of each host
  std::size_t largest = roots_.front();
  std::size_t most = 0;
  for (const std::size_t root : roots_) {
    const std::size_t before = tree.size();
    for (const std::size_t id : depth_first(root)) {
      for (const std::string* const host : hosts_[id]) {
        index.add(*host, static_cast<int>(tree.size()));
        tree.push_back(root);
      }
    }
    if (tree.size() - before <= most) continue;
    most = tree.size() - before;
    largest = root;
  }
  const std::string* first = nullptr;
  std::size_t root = largest;
  for (const std::string& host : hosts) {
    const auto found = index.find(host);
    if (!found) continue;
    const std::size_t own = tree[static_cast<std::size_t>(*found)];
    if (first != nullptr && own != root) {
      fail(lines[own],
           "no switch joins '{}' ({}), which host '{}' is below, and '{}', which host '{}' is "
           "below; legal: hosts below one switch, or a line such as SwitchName=top Switches={},{}",
           lines[root].name, place_of(lines[root], lines[own]), *first, lines[own].name, host,
           lines[root].name, lines[own].name);
    }
    first = &host;
    root = own;
  }
  return root;
}

bool SwitchForest::has_hosts(std::size_t root) const {
  return std::ranges::any_of(depth_first(root),
                             [&](std::size_t id) { return !hosts_[id].empty(); });
}

std::vector<std::string> SwitchForest::notes() const {
  const std::vector<SwitchLine>& lines = *lines_;
  std::string named;
  std::size_t united = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t first = same_as_[i];
    if (first == i || united++ >= most_named) continue;
    named +=
        fmt::format("{}'{}' as '{}'", named.empty() ? "" : ", ", lines[i].name, lines[first].name);
  }
  if (united == 0) return {};
  if (united > most_named) named += fmt::format(", and {} more", united - most_named);
  return {fmt::format("switches above the same switch or host count as one: {}", named)};
}

namespace {

/// Returns the one of several topologies that counts: the first that has all hosts, where the
/// cluster's default comes before the others; else the first. Throws InputError if it is unusable.
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

/// Replaces Nodes=ALL by the names of the hosts. Throws InputError if these are not known.
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
