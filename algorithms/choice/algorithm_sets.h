// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/registry.h"

// Sets of algorithms that go by a name, in lists of algorithms and in reports. No algorithm has the
// name of a set.
namespace gatherbench::algorithms {

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

/// Null if there is none of that name.
const AlgorithmSet* find_set(std::string_view name);

/// "loch2021: the five that Loch (2021) compares; regular: ...", for --help: the sets that have
/// members of this collective.
std::string set_descriptions(const collectives::Collective& collective);

}  // namespace gatherbench::algorithms
