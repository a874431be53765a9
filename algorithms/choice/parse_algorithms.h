// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/registry.h"

// These functions read a list of algorithms, as users write it, as the choices that it means.
namespace gatherbench::algorithms {

// Sets of algorithms that go by a name, in lists of algorithms and in reports. No algorithm has the
// name of a set.

struct AlgorithmSet {
  std::string_view name;
  std::string_view text;  ///< which algorithms these are
  bool (*contains)(const Algorithm&);
  /// Tells which of those it leaves out for a collective; null: none.
  bool (*leaves_out)(const Algorithm&, const collectives::Collective&) = nullptr;
};

std::span<const AlgorithmSet> algorithm_sets();

/// Returns the members of this collective, or, with null, all, in the order of the registry.
std::vector<const Algorithm*> members(const AlgorithmSet& set,
                                      const collectives::Collective* collective = nullptr);

/// Returns the set of that name; null if there is none.
const AlgorithmSet* find_set(std::string_view name);

/// Returns a text for --help about the sets that have members of this collective, such as
/// "loch2021: the five that Loch (2021) compares; regular: ...".
std::string set_descriptions(const collectives::Collective& collective);

/// Returns this collective's algorithms of a comma-separated list of names and sets, each once, in
/// the order given. With `may_be_staged` each may have "stage=host". It does not check native:NAME
/// against the library, nor the number of ranks.
/// Throws InputError that names `option`.
std::vector<Choice> parse_algorithms(
    std::string_view option, std::string_view list,
    const collectives::Collective& collective = collectives::allgather, bool may_be_staged = false);

/// Returns the names that parse_algorithms() takes: of sets ("all", "loch2021"), then of
/// algorithms; with null, of all collectives.
std::vector<std::string_view> legal_algorithm_names(const collectives::Collective* collective);

}  // namespace gatherbench::algorithms
