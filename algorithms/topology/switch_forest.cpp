// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/switch_forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "algorithms/topology/host_list.h"
#include "formats/text/input_error.h"

namespace gatherbench::topology {
namespace {

constexpr std::size_t most_named = 3;  // in a note

template <typename... Args>
[[noreturn]] void fail(const SwitchLine& at, fmt::format_string<Args...> reason, Args&&... args) {
  throw text::InputError(
      fmt::format("{}:{}: {}", at.file, at.line, fmt::format(reason, std::forward<Args>(args)...)));
}

/// "line 3", or "FILE:3" if that is in another file than `at`.
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

/// The switches above both are above the same switch then, and so on upwards.
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

/// Children and roots, as parents say.
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

/// Each switch has at most one parent, so a switch that no root is above is in a cycle or below
/// one.
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

}  // namespace gatherbench::topology
