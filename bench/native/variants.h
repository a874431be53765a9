// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/collectives/collective.h"
#include "bench/native/families.h"

// The MPI library's own algorithms, "native:NAME": which there are, by the names that the library
// at hand gives them, and which can be had. How one is chosen: native_choice.h.
namespace gatherbench::bench {

struct NativeVariants {
  std::vector<std::string> names;  ///< empty: none can be chosen
  bool one_a_launch = false;       ///< chosen at start only
};

/// Returns the variants of the library at hand.
NativeVariants find_native_variants(const collectives::Collective& collective);

/// Throws InputError if a choice is none of the library's, or cannot be had in this launch.
void require_native_variants(const collectives::Collective& collective,
                             std::span<const algorithms::Choice> choices);

/// Returns why the library would not run just this algorithm in such a call; none if it would, and
/// for whatever is no "native:NAME".
std::optional<std::string> why_not(const collectives::Collective& collective,
                                   const algorithms::Choice& choice, const CallShape& shape);

}  // namespace gatherbench::bench
