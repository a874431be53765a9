// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/collective.h"

// What is known of MPI libraries that let their all-gather algorithm be chosen, and what they do
// not tell themselves.
namespace gatherbench::bench {

/// An algorithm of the library that does not run with every number of ranks.
struct NativeRestriction {
  std::string_view algorithm;  ///< empty: whichever is chosen
  bool (*allows)(int ranks);
  std::string_view needs;      ///< "an even number of ranks"
  std::string_view otherwise;  ///< what the library would do: "run ring instead"
};

/// A variable that the library lets overrule the choice.
struct NativeCondition {
  std::string_view variable;
  bool (*holds)(std::string_view value);
};

struct NativeFamily {
  /// The control variable that holds the choice.
  std::string (*variable)(Collective collective);
  std::string_view own_choice;  ///< its value that leaves the choice to the library
  /// Whether the library looks at it in each call, or only when a communicator is made.
  bool read_in_each_call;
  /// Before the name of a variable, that of the environment variable; empty: not needed.
  std::string_view environment_prefix;
  /// The library ignores the choice unless all of them hold.
  std::span<const NativeCondition> conditions;
  /// Variables that have to hold something else while a choice is in force.
  std::vector<std::pair<std::string, int>> (*companions)(Collective collective);
  /// What a communicator is told so that the choice is asked for on it; null: nothing.
  const char* info_key;
  const char* info_value;
  std::span<const NativeRestriction> restrictions;
};

/// The libraries that are known. Which is at hand tells the variable that there is.
std::span<const NativeFamily> native_families();

}  // namespace gatherbench::bench
