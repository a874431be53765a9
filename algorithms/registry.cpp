// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/registry.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace gatherbench::algorithms {

// clang-format off
extern const Algorithm
#include "algorithms/all_algorithms.inc"
;

namespace {

template <typename... Algorithms>
constexpr auto addresses_of(const Algorithms&... algorithms) { return std::array{&algorithms...}; }

constexpr std::array registered = addresses_of(
#include "algorithms/all_algorithms.inc"
);
// clang-format on

}  // namespace

std::span<const Algorithm* const> algorithm_table() { return registered; }

std::vector<const Algorithm*> algorithms_of(const collectives::Collective* collective) {
  std::vector<const Algorithm*> found;
  std::ranges::copy_if(registered, std::back_inserter(found), [&](const Algorithm* algorithm) {
    return collective == nullptr || computes(*algorithm, *collective);
  });
  return found;
}

std::vector<std::string_view> algorithm_names(const collectives::Collective* collective) {
  std::vector<std::string_view> names;
  for (const Algorithm* const algorithm : algorithms_of(collective)) {
    if (std::ranges::find(names, algorithm->name) == names.end()) names.push_back(algorithm->name);
  }
  return names;
}

const Algorithm* find_algorithm(std::string_view name, const collectives::Collective& collective) {
  const auto* const found = std::ranges::find_if(registered, [&](const Algorithm* algorithm) {
    return algorithm->name == name && computes(*algorithm, collective);
  });
  return found == registered.end() ? nullptr : *found;
}

}  // namespace gatherbench::algorithms
