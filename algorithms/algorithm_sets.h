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
  std::string_view text;      ///< which algorithms these are
  std::string_view formerly;  ///< its name in releases before; empty: the same
  bool (*contains)(const Algorithm&);
};

std::span<const AlgorithmSet> algorithm_sets();

/// In the order of the registry.
std::vector<const Algorithm*> members(const AlgorithmSet& set);

/// Null if there is none of that name. One by its former name is found and noted as such, see
/// text/former_names.h.
const AlgorithmSet* find_set(std::string_view name);

/// "loch2021: the five that Loch (2021) compares; regular: ...", for --help.
std::string set_descriptions();

}  // namespace gatherbench::algorithms
