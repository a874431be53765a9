// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/part_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "formats/text/input_error.h"

namespace gatherbench::topology {
namespace {

constexpr int impossible = std::numeric_limits<int>::max();
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

}  // namespace

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

/// The arrays of one part.
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
      // There is such a host if there is any: as first or last part it beats every child.
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

}  // namespace gatherbench::topology
