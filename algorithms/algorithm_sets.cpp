// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/algorithm_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/former_names.h"

namespace gatherbench::algorithms {
namespace {

bool measured_by_loch(const Algorithm& algorithm) {
  constexpr std::array<std::string_view, 5> names{"ring", "neighbor_exchange", "recursive_doubling",
                                                  "bruck", "sparbit"};
  return std::ranges::find(names, algorithm.name) != names.end();
}

constexpr std::array table{
    AlgorithmSet{"loch2021", "the five that Loch (2021) compares", "thesis", measured_by_loch},
    // Those that predict arrivals need threads and a computation to watch, of the whole launch.
    AlgorithmSet{"regular", "all that do not predict arrivals", "",
                 [](const Algorithm& algorithm) { return !algorithm.uses_arrivals; }},
    AlgorithmSet{"arrival_aware", "all that predict arrivals", "",
                 [](const Algorithm& algorithm) { return algorithm.uses_arrivals; }},
    AlgorithmSet{"all", "all algorithms", "", [](const Algorithm&) { return true; }},
    AlgorithmSet{"linear-steps", "those whose number of steps grows linearly with the ranks", "",
                 [](const Algorithm& algorithm) { return algorithm.growth == Growth::linear; }},
    AlgorithmSet{
        "logarithmic-steps", "those whose number of steps grows logarithmically with the ranks", "",
        [](const Algorithm& algorithm) { return algorithm.growth == Growth::logarithmic; }},
    AlgorithmSet{"library", "the MPI library's own", "",
                 [](const Algorithm& algorithm) {
                   return algorithm.library_call == LibraryCall::allgather;
                 }},
};

constexpr auto former_names = [] {
  std::array<text::FormerName,
             std::ranges::count_if(table,
                                   [](const AlgorithmSet& set) { return !set.formerly.empty(); })>
      names{};
  std::size_t next = 0;
  for (const AlgorithmSet& set : table) {
    if (!set.formerly.empty()) names[next++] = {set.formerly, set.name};
  }
  return names;
}();

}  // namespace

std::span<const AlgorithmSet> algorithm_sets() { return table; }

std::vector<const Algorithm*> members(const AlgorithmSet& set) {
  std::vector<const Algorithm*> found;
  for (const Algorithm& algorithm : all_algorithms()) {
    if (set.contains(algorithm)) found.push_back(&algorithm);
  }
  return found;
}

const AlgorithmSet* find_set(std::string_view name) {
  const std::string_view now = text::current_name(former_names, name);
  const auto* const set = std::ranges::find(table, now, &AlgorithmSet::name);
  return set == table.end() ? nullptr : set;
}

std::string set_descriptions() {
  std::string text;
  for (const AlgorithmSet& set : table) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", set.name, set.text);
  }
  return text;
}

}  // namespace gatherbench::algorithms
