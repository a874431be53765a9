// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/topology/switch_tree.h"

namespace gatherbench::topology {

/// A number in [0, count), the same with every standard library (its distributions are not).
inline std::size_t draw(std::mt19937& random, std::size_t count) { return random() % count; }

template <typename T>
void shuffle(std::mt19937& random, std::vector<T>& values) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[draw(random, i)]);
}

/// The text of a topology file: a random tree of `switches` >= 1 switches with `hosts` >= 1 hosts
/// h0, h1, ... on them, its lines in random order. Trees are wide or deep, with the hosts that the
/// leaves leave over on any switch or on few.
inline std::string random_topology(std::mt19937& random, int switches, int hosts) {
  const auto count = static_cast<std::size_t>(switches);
  const auto host_count = static_cast<std::size_t>(hosts);
  const std::size_t reach = std::size_t{1} << draw(random, 8);  // 1: a chain; 128: wide
  std::vector<std::vector<std::string>> below(count);
  std::size_t leaves = 1;
  for (std::size_t i = 1; i < count; ++i) {
    std::size_t parent = i - 1 - draw(random, std::min(i, reach));
    // A leaf needs a host: with no host to spare, one leaf grows. The last switch is always one.
    if (!below[parent].empty() && leaves == host_count) parent = i - 1;
    if (!below[parent].empty()) ++leaves;
    below[parent].push_back(fmt::format("s{}", i));
  }
  std::vector<std::vector<std::string>> on(count);
  std::size_t next = 0;
  const auto add_host = [&](std::size_t to) { on[to].push_back(fmt::format("h{}", next++)); };
  for (std::size_t i = 0; i < count; ++i) {
    if (below[i].empty()) add_host(i);
  }
  const std::size_t favoured = 1 + draw(random, count);
  while (next < host_count) add_host(draw(random, favoured));
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < count; ++i) {
    std::string line = fmt::format("SwitchName=s{}", i);
    if (!on[i].empty()) line += fmt::format(" Nodes={}", fmt::join(on[i], ","));
    if (!below[i].empty()) line += fmt::format(" Switches={}", fmt::join(below[i], ","));
    lines.push_back(std::move(line));
  }
  shuffle(random, lines);
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

inline SwitchTree random_tree(std::mt19937& random, int switches, int hosts) {
  return SwitchTree::parse("random", random_topology(random, switches, hosts));
}

/// Some of the hosts of a tree, at least one, in random order.
inline std::vector<int> random_hosts(std::mt19937& random, const SwitchTree& tree) {
  std::vector<int> hosts;
  for (int host = 0; host < tree.hosts(); ++host) hosts.push_back(host);
  shuffle(random, hosts);
  hosts.resize(1 + draw(random, hosts.size()));
  return hosts;
}

}  // namespace gatherbench::topology
