// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/collectives/collective.h"

// Some MPI libraries let their all-gather algorithm be chosen. What is known of them, and what they
// do not tell themselves, is a row in families.cpp: all that "native:NAME" needs.
namespace gatherbench::bench {

/// The properties of a call by which a library may choose.
struct CallShape {
  int ranks;
  bool in_place = false;
  /// The elements of a reduction or a broadcast; where the case is not known, and for the other
  /// collectives, the largest number there is.
  std::int64_t elements = std::numeric_limits<std::int64_t>::max();
  bool commutes = true;  ///< its operator does
};

/// An algorithm of the library that does not run with every number of ranks, operator or size, or
/// not in place.
struct NativeRestriction {
  std::string_view algorithm;  ///< empty: whichever is chosen
  bool (*allows)(const CallShape& shape);
  std::string_view needs;                         ///< "an even number of ranks"
  std::string_view instead;                       ///< what the library would do: "run ring instead"
  const collectives::Collective* kind = nullptr;  ///< of the collective; null: each
};

/// A variable that the library lets overrule the choice.
struct NativeCondition {
  std::string_view variable;
  bool (*holds)(std::string_view value);
};

struct EnvironmentVariable {
  std::string_view name;
  std::string_view value;
};

struct NativeFamily {
  std::string_view name;
  /// Beginnings of the names of environment variables that steer the library: result files have
  /// these variables.
  std::span<const std::string_view> environment_prefixes;
  /// Beginnings of those among them that name one job or an address in it. They steer nothing, and
  /// no two launches have the same: files do not have them.
  std::span<const std::string_view> job_variables;
  /// Beginnings of those among the first ones that tell the library what to do in a call, and
  /// longer beginnings of those that only tell the launcher or a rank where it is.
  std::span<const std::string_view> call_variables;
  std::span<const std::string_view> launcher_variables;
  /// Returns the name of the control variable that holds the choice.
  std::string (*variable)(const collectives::Collective& collective);
  std::string_view own_choice;  ///< its value that leaves the choice to the library
  /// True: the library looks at it in each call; false: only when a communicator is made.
  bool read_in_each_call;
  /// The beginning of the name of the environment variable that sets a control variable, before the
  /// control variable's own name; empty: both have the same name.
  std::string_view variable_prefix;
  /// The variables that have to be set when MPI is initialised, for a choice to count.
  std::span<const EnvironmentVariable> needed_at_start;
  /// Tells whether the library reads the choice only when MPI is initialised; null: it never does.
  bool (*read_at_start_only)(const collectives::Collective& collective);
  /// Conditions that all have to hold, or the library ignores the choice.
  std::span<const NativeCondition> conditions;
  /// Returns variables that have to hold something else while a choice is in force, and what; null:
  /// there are none.
  std::vector<std::pair<std::string, int>> (*companions)(const collectives::Collective& collective);
  /// The info that a communicator gets so that the choice is asked for on it; null: none.
  const char* info_key;
  const char* info_value;
  std::span<const NativeRestriction> restrictions;
};

/// Returns the libraries that are known. The one at hand is that whose control variable exists.
std::span<const NativeFamily> native_families();

/// Returns whether an environment variable of this name steers an MPI library, a transport or
/// Slurm, and can hold no secret.
bool steers_mpi(std::string_view variable);
/// Returns whether it is one of those that tell the library or the transport what to do in a call.
bool steers_calls(std::string_view variable);

}  // namespace gatherbench::bench
