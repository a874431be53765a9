// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/choice/algorithm_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gatherbench::algorithms {
namespace {

bool measured_by_loch(const Algorithm& algorithm) {
  constexpr std::array<std::string_view, 5> names{"ring", "neighbor_exchange", "recursive_doubling",
                                                  "bruck", "sparbit"};
  return gathers(algorithm) && std::ranges::find(names, algorithm.name) != names.end();
}

bool measured_by_proficz(const Algorithm& algorithm) {
  constexpr std::array<std::string_view, 5> names{"ring", "neighbor_exchange",
                                                  "linear_gather_bcast", "bdr", "bslb"};
  return gathers(algorithm) && std::ranges::find(names, algorithm.name) != names.end();
}

bool needs_nothing_named(const Algorithm& algorithm) {
  return !algorithm.is<Selects>() && !algorithm.is<FromFile>();
}

/// The library's algorithms, called in another way than a program's usual one.
bool calls_otherwise(const Algorithm& algorithm) {
  return algorithm.calls(LibraryCall::nonblocking) || algorithm.calls(LibraryCall::persistent);
}

bool is_in_all(const Algorithm& algorithm) {
  return needs_nothing_named(algorithm) && !calls_otherwise(algorithm);
}

/// Open MPI has no recursive doubling there, so he has not (2.4.3, chapter 7).
bool not_measured_by_loch(const Algorithm& algorithm, const collectives::Collective& collective) {
  return collective.gathers() && collective.unequal_blocks &&
         algorithm.name == "recursive_doubling";
}

constexpr std::array table{
    AlgorithmSet{"loch2021",
                 "the five that Loch (2021) compares, for allgatherv without recursive doubling",
                 measured_by_loch, not_measured_by_loch},
    AlgorithmSet{"proficz2021", "the five that Proficz (2021) compares", measured_by_proficz},
    // Algorithms that predict arrivals need threads and a computation to watch, of the whole
    // launch.
    AlgorithmSet{"regular", "all that do not predict arrivals",
                 [](const Algorithm& algorithm) {
                   return !algorithm.is<ByArrivals>() && is_in_all(algorithm);
                 }},
    AlgorithmSet{"arrival_aware", "all that predict arrivals",
                 [](const Algorithm& algorithm) { return algorithm.is<ByArrivals>(); }},
    AlgorithmSet{
        "all",
        "all algorithms, without adaptive, which chooses among them, file, which needs a path, and "
        "native_nonblocking and native_persistent, which are native called in another way",
        is_in_all},
    AlgorithmSet{"linear-steps", "those whose number of steps grows linearly with the ranks",
                 [](const Algorithm& algorithm) { return algorithm.growth == Growth::linear; }},
    AlgorithmSet{
        "logarithmic-steps", "those whose number of steps grows logarithmically with the ranks",
        [](const Algorithm& algorithm) { return algorithm.growth == Growth::logarithmic; }},
    AlgorithmSet{"library", "the MPI library's own",
                 [](const Algorithm& algorithm) { return algorithm.calls(LibraryCall::native); }},
    AlgorithmSet{"library-calls",
                 "the MPI library's own, by its blocking, non-blocking and persistent call",
                 [](const Algorithm& algorithm) {
                   return algorithm.calls(LibraryCall::native) || calls_otherwise(algorithm);
                 }},
};

}  // namespace

std::span<const AlgorithmSet> algorithm_sets() { return table; }

std::vector<const Algorithm*> members(const AlgorithmSet& set,
                                      const collectives::Collective* collective) {
  std::vector<const Algorithm*> found = algorithms_of(collective);
  std::erase_if(found, [&](const Algorithm* one) {
    return !set.contains(*one) || (collective != nullptr && set.leaves_out != nullptr &&
                                   set.leaves_out(*one, *collective));
  });
  return found;
}

const AlgorithmSet* find_set(std::string_view name) {
  const auto* const set = std::ranges::find(table, name, &AlgorithmSet::name);
  return set == table.end() ? nullptr : set;
}

std::string set_descriptions(const collectives::Collective& collective) {
  std::string text;
  for (const AlgorithmSet& set : table) {
    if (members(set, &collective).empty()) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", set.name, set.text);
  }
  return text;
}

}  // namespace gatherbench::algorithms
