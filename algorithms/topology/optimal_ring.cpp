// SPDX-License-Identifier: BSD-3-Clause
//
// The contention-free ring with the shortest longest path: Faraj 2006, Algorithm 3, for a bound on
// the path length at a time.
//
// By lemma 8 a ring is contention free if and only if the hosts of each subtree are consecutive.
// That holds for the subtrees below any one switch as root, as the hosts of the other side of each
// link are then consecutive in the ring too. So bottom up, for each subtree, the best ends of its
// arrays under the bound (PartArrays) are all that the switch above needs to know. At the root the
// array has to close to a ring, which is cut between two parts: a pruned root has at least two.
//
// An array is an order of the hosts below a switch in which each part's are consecutive and no path
// between neighbours is longer than the bound. The step of Algorithm 3 (section 3.3.2) at one
// switch makes the arrays of a switch from those of its parts.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/topology/host_rings.h"
#include "formats/text/input_error.h"

namespace gatherbench::topology {
namespace {

/// All that matters of an array outside of its subtree: how high the root of the subtree is above
/// its first and its last host, in switches; 0 for an array that is one host. Less is never worse.
struct Ends {
  int first;
  int last;
  bool operator==(const Ends&) const = default;
};

/// The ends that no other ends of the same subtree beat; `first` ascends, `last` descends.
using Front = std::vector<Ends>;

/// A part of a switch, and the ends that its array must have.
struct EndedPart {
  Part part;
  Ends ends;
};

/// Dynamic programme over how many children of each kind an array has used so far, the height of
/// its first and of its last host: the fewest hosts of the switch itself that do it. Children with
/// equal fronts are of one kind, as which of them comes first makes no difference. Hosts that are
/// left over do no harm: they can stand beside another one.
class PartArrays {
 public:
  static constexpr std::size_t most_states = std::size_t{1} << 22;

  /// `fronts` are those of all switches below, by index in the pruned tree, none empty; all heights
  /// are less than `bound` switches. Throws InputError that names the switch, `name`, if it takes
  /// more than most_states.
  PartArrays(const PrunedSwitch& at, std::span<const Front> fronts, int bound,
             std::string_view name);

  /// Returns the best ends of the arrays of all parts, as seen from the parts: 1 less than from
  /// above the switch. Empty if there is no array.
  [[nodiscard]] Front front() const;

  /// Returns the parts of an array with these ends, which must be of front().
  [[nodiscard]] std::vector<EndedPart> array(const Ends& ends) const;

 private:
  struct Choice {              // one of the ends that a child can have
    std::size_t first;         // index in heights_
    std::size_t last;          // index in heights_
    std::size_t before_count;  // the heights, from the least, of hosts that may come before it
  };
  struct Kind {
    std::vector<int> children;
    std::vector<Choice> choices;
    std::size_t weight;  // of one child in the number that stands for the children used
  };
  struct State {           // the best array that ends so: there may be millions
    int hosts;             // of the switch itself
    int kind;              // of the last part; -1: a host
    std::uint32_t choice;  // of the ends of the last part
    std::uint32_t before;  // height of the host before the last part, as index; or none
  };

  void find_kinds(std::span<const Front> fronts, int bound);
  void begin();
  void extend(std::size_t used, std::size_t first);
  [[nodiscard]] std::size_t height_index(int height) const;
  [[nodiscard]] std::size_t state(std::size_t used, std::size_t first, std::size_t last) const {
    return (used * heights_.size() + first) * heights_.size() + last;
  }

  const PrunedSwitch* at_;
  std::vector<int> heights_;  // that occur, ascending, with 0, which is a host of the switch
  std::vector<Kind> kinds_;
  std::size_t all_ = 0;  // children used at the end
  std::vector<State> states_;
};

constexpr int impossible = std::numeric_limits<int>::max();
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

PartArrays::PartArrays(const PrunedSwitch& at, std::span<const Front> fronts, int bound,
                       std::string_view name)
    : at_(&at), heights_{0} {
  for (const int child : at.children) {
    for (const auto& [first, last] : fronts[static_cast<std::size_t>(child)]) {
      heights_.insert(heights_.end(), {first, last});
    }
  }
  std::ranges::sort(heights_);
  heights_.erase(std::unique(heights_.begin(), heights_.end()), heights_.end());
  find_kinds(fronts, bound);

  std::size_t states = heights_.size() * heights_.size();
  for (Kind& kind : kinds_) {
    kind.weight = all_ + 1;  // as in a number of mixed radix
    all_ += kind.weight * kind.children.size();
    states *= kind.children.size() + 1;
    if (states <= most_states) continue;
    throw text::InputError(
        fmt::format("switch {}: its {} child switches are of {} kinds, so the optimal ring takes "
                    "more than {} states; take the depth-first or the two-hop ring",
                    name, at.children.size(), kinds_.size(), most_states));
  }
  states_.assign(states, {impossible, 0, 0, none});
  begin();
  for (std::size_t used = 0; used <= all_; ++used) {
    for (std::size_t first = 0; first < heights_.size(); ++first) extend(used, first);
  }
}

std::size_t PartArrays::height_index(int height) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(heights_, height) - heights_.begin());
}

void PartArrays::find_kinds(std::span<const Front> fronts, int bound) {
  std::vector<const Front*> kind_fronts;
  for (const int child : at_->children) {
    const Front& front = fronts[static_cast<std::size_t>(child)];
    const auto known =
        std::ranges::find_if(kind_fronts, [&](auto* each) { return *each == front; });
    const auto index = static_cast<std::size_t>(known - kind_fronts.begin());
    if (index == kind_fronts.size()) {
      kind_fronts.push_back(&front);
      Kind& kind = kinds_.emplace_back();
      for (const auto& [first, last] : front) {
        // The path from a host at height h below one part to one in another: h + 1 + first.
        const auto end = std::ranges::upper_bound(heights_, bound - 1 - first);
        kind.choices.push_back({height_index(first), height_index(last),
                                static_cast<std::size_t>(end - heights_.begin())});
      }
    }
    kinds_[index].children.push_back(child);
  }
}

/// Sets the states of the arrays that have one part.
void PartArrays::begin() {
  if (!at_->hosts.empty()) states_[state(0, 0, 0)] = {1, -1, 0, none};
  int k = 0;
  for (const Kind& kind : kinds_) {
    std::uint32_t c = 0;
    for (const Choice& choice : kind.choices) {
      states_[state(kind.weight, choice.first, choice.last)] = {0, k, c++, none};
    }
    ++k;
  }
}

/// Adds each kind of part to the arrays of these children that begin at this height.
void PartArrays::extend(std::size_t used, std::size_t first) {
  const std::span by_last = std::span(states_).subspan(state(used, first, 0), heights_.size());
  const auto fewest = [&](std::size_t begin, std::size_t end) {
    const auto best =
        std::min_element(by_last.begin() + static_cast<std::ptrdiff_t>(begin),
                         by_last.begin() + static_cast<std::ptrdiff_t>(end),
                         [](const State& a, const State& b) { return a.hosts < b.hosts; });
    return static_cast<std::uint32_t>(best - by_last.begin());
  };
  if (heights_.size() == 1) return;
  // First a host, as children may follow it. A host after another one would change nothing.
  const std::uint32_t before_host = fewest(1, heights_.size());
  const int hosts = by_last[before_host].hosts;
  if (hosts < std::min(by_last[0].hosts - 1, static_cast<int>(at_->hosts.size()))) {
    by_last[0] = {hosts + 1, -1, 0, before_host};
  }
  int k = -1;
  for (const Kind& kind : kinds_) {
    ++k;
    if (used / kind.weight % (kind.children.size() + 1) == kind.children.size()) continue;
    std::uint32_t c = 0;
    for (const Choice& choice : kind.choices) {
      const std::uint32_t before = fewest(0, choice.before_count);
      State& after = states_[state(used + kind.weight, first, choice.last)];
      if (choice.before_count > 0 && by_last[before].hosts < after.hosts) {
        after = {by_last[before].hosts, k, c, before};
      }
      ++c;
    }
  }
}

Front PartArrays::front() const {
  Front front;
  std::size_t lowest = heights_.size();
  for (std::size_t first = 0; first < heights_.size(); ++first) {
    for (std::size_t last = 0; last < lowest; ++last) {
      if (states_[state(all_, first, last)].hosts == impossible) continue;
      front.push_back({heights_[first], heights_[last]});
      lowest = last;
    }
  }
  return front;
}

std::vector<EndedPart> PartArrays::array(const Ends& ends) const {
  const std::size_t first = height_index(ends.first);
  std::vector<const State*> backwards;
  std::size_t used = all_;
  std::size_t last = height_index(ends.last);
  do {
    const State& end = states_[state(used, first, last)];
    backwards.push_back(&end);
    if (end.kind >= 0) used -= kinds_[static_cast<std::size_t>(end.kind)].weight;
    last = end.before;
  } while (last != none);

  std::vector<EndedPart> parts;
  std::vector<std::size_t> children_used(kinds_.size());
  std::size_t hosts_used = 0;
  const auto left_over = at_->hosts.size() - static_cast<std::size_t>(backwards[0]->hosts);
  for (auto each = backwards.rbegin(); each != backwards.rend(); ++each) {
    if ((*each)->kind < 0) {
      // Hosts that are left over follow the first host of the array. It has one if the switch has
      // any: as first or last part, a host beats every child.
      const std::size_t count = hosts_used == 0 ? 1 + left_over : 1;
      for (std::size_t i = 0; i < count; ++i) {
        parts.push_back({{true, at_->hosts[hosts_used++]}, {0, 0}});
      }
      continue;
    }
    const auto k = static_cast<std::size_t>((*each)->kind);
    const Choice& choice = kinds_[k].choices[(*each)->choice];
    parts.push_back({{false, kinds_[k].children[children_used[k]++]},
                     {heights_[choice.first], heights_[choice.last]}});
  }
  return parts;
}

using Fronts = std::vector<Front>;  // of each switch of the pruned tree, heights counted from above

/// Returns the front of each switch; none if each ring has a path of more than `bound` switches.
/// The root's front is that of rings, and its heights are counted from its parts.
std::optional<Fronts> find_fronts(const SwitchTree& tree, std::span<const PrunedSwitch> pruned,
                                  int bound) {
  Fronts fronts(pruned.size());
  for (std::size_t i = pruned.size(); i-- > 0;) {
    Front& front = fronts[i];
    front = PartArrays(pruned[i], fronts, bound, tree.switch_name(pruned[i].id)).front();
    const bool is_root = i == 0;
    for (auto& [first, last] : front) {
      if (is_root) continue;
      ++first;
      ++last;
    }
    // Hosts beyond a switch are at least one switch away; after the root's last host comes its
    // first one.
    std::erase_if(front, [&](const Ends& ends) {
      const int path = is_root ? ends.last + 1 + ends.first : std::max(ends.first, ends.last) + 1;
      return path > bound;
    });
    if (front.empty()) return std::nullopt;
  }
  return fronts;
}

}  // namespace

std::vector<int> optimal_ring(const SwitchTree& tree, std::span<const int> hosts) {
  const std::vector<PrunedSwitch> pruned = prune(tree, hosts);
  std::vector<int> ring = depth_first_ring(tree, hosts);
  if (pruned.size() <= 1) return ring;

  // Some ring keeps the bound `kept`, and none keeps `broken`, which begins with 1 as a ring over
  // two switches has a path of 2.
  int kept = longest_path(tree, ring);
  int broken = 1;
  std::optional<Fronts> fronts = find_fronts(tree, pruned, kept);
  while (broken + 1 < kept) {
    const int bound = broken + (kept - broken) / 2;
    if (auto tighter = find_fronts(tree, pruned, bound)) {
      fronts = std::move(tighter);
      kept = bound;
    } else {
      broken = bound;
    }
  }

  std::vector<Ends> ends(pruned.size());  // of the array of each switch, from its parts
  ends[0] = fronts->at(0).front();
  std::vector<std::vector<Part>> parts(pruned.size());
  for (std::size_t i = 0; i < pruned.size(); ++i) {
    const PartArrays arrays(pruned[i], *fronts, kept, tree.switch_name(pruned[i].id));
    for (const auto& [part, part_ends] : arrays.array(ends[i])) {
      parts[i].push_back(part);
      if (part.is_host) continue;
      ends[static_cast<std::size_t>(part.index)] = {part_ends.first - 1, part_ends.last - 1};
    }
  }
  return join(parts);
}

}  // namespace gatherbench::topology
