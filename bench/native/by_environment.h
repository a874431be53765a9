// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/collectives/collective.h"
#include "bench/native/families.h"

// MPI libraries whose all-gather algorithm is chosen by an environment variable alone, which they
// read when they start: Intel MPI and MVAPICH. Asked after those of families.h, since what a
// library tells by MPI_T is its own word. From the libraries' documents and sources; not run
// against them.
namespace gatherbench::bench {

/// An algorithm, and what the variable has to hold for it.
struct EnvironmentValue {
  std::string_view name;  ///< "ring", of native:ring
  std::string_view value;
};

/// The way in which one library lets the algorithm of one collective be chosen.
struct EnvironmentChoice {
  std::string_view library;  ///< a part of MPI_Get_library_version's text
  const collectives::Collective* collective;
  const char* variable;
  std::span<const EnvironmentValue> algorithms;
  std::span<const NativeRestriction> restrictions = {};

  /// Null if there is none of that name.
  [[nodiscard]] const EnvironmentValue* find(std::string_view name) const;
};

/// All of them; of two that fit a library's text the first one counts.
std::span<const EnvironmentChoice> environment_choices();

/// Null if a library that says this of itself has no row.
const EnvironmentChoice* find_environment_choice(std::string_view library_version,
                                                 const collectives::Collective& collective);

/// Sets the variable for what `native` has: one "native:NAME" of the row's, and nothing else. What
/// the user set stays. Call before MPI_Init.
void set_environment_choice(const EnvironmentChoice& choice,
                            std::span<const algorithms::Choice> native);

}  // namespace gatherbench::bench
