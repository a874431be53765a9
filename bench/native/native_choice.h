// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/collectives/collective.h"
#include "bench/native/families.h"
#include "runtime/mpi/control_variables.h"
#include "runtime/mpi/handles.h"

// These functions make the MPI library run "native:NAME". Libraries look at the choice when they
// start, when a communicator is made, or in each call.
namespace gatherbench::bench {

/// The MPI library at hand: what is known of it, and the variable that holds its choice.
struct NativeLibrary {
  const NativeFamily* family;
  mpi::ControlVariable variable;

  /// Returns the library; none if it lets no algorithm of this collective be chosen.
  static std::optional<NativeLibrary> at_hand(const collectives::Collective& collective);

  /// Returns the value of one of the variable's names.
  [[nodiscard]] int value_of(std::string_view name) const;
  /// Returns the name of the environment variable that sets the control variable.
  [[nodiscard]] std::string environment_variable() const;
  [[nodiscard]] bool chosen_at_start_only() const { return !variable.settable(); }
};

/// Returns whether a choice is "native:NAME".
bool is_native_variant(const algorithms::Choice& choice);

/// Returns the choices that are "native" or "native:NAME".
std::vector<algorithms::Choice> select_native(std::span<const algorithms::Choice> choices);

// MPI libraries whose all-gather algorithm is chosen by an environment variable alone, which they
// read when they start: Intel MPI and MVAPICH. These rows are asked after those of families.h,
// since what a library tells by MPI_T is its own word. They are from the libraries' documents and
// sources, and were not run against them.

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

  /// Returns the algorithm of that name; null if there is none.
  [[nodiscard]] const EnvironmentValue* find(std::string_view name) const;
};

/// Returns the whole table; of two rows that fit a library's text the first one counts.
std::span<const EnvironmentChoice> environment_choices();

/// Returns the row of the library whose MPI_Get_library_version says this; null if it has none.
const EnvironmentChoice* find_environment_choice(std::string_view library_version,
                                                 const collectives::Collective& collective);

/// Sets the variable for what `native` has: one "native:NAME" of the row's, and nothing else. What
/// the user set stays. Call before MPI_Init.
void set_environment_choice(const EnvironmentChoice& choice,
                            std::span<const algorithms::Choice> native);

/// Makes the library's algorithms choosable, if one is among the choices; where the library reads a
/// choice at start only, makes it. Call before MPI_Init. What the user set stays.
void prepare_native_variants(const collectives::Collective& collective,
                             std::span<const algorithms::Choice> choices);

/// Returns what the user should know of a choice made at start; empty if none was.
std::string find_choice_at_start(const collectives::Collective& collective,
                                 std::span<const algorithms::Choice> choices);

/// Returns a copy of the communicator that carries the choice, if the library looks at it when a
/// communicator is made. Collective over `comm`.
mpi::Communicator make_native_communicator(const collectives::Collective& collective,
                                           const algorithms::Choice& choice, MPI_Comm comm);

/// Returns the settings that have to be held while the library is called, if it looks at the choice
/// in each call.
std::vector<mpi::Setting> find_native_settings(const collectives::Collective& collective,
                                               const algorithms::Choice& choice);

// The MPI library's own algorithms, "native:NAME": which there are, by the names that the library
// at hand gives them, and which can be had.

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
