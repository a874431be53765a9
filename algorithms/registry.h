// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/schedule.h"

// The one table of all-gather algorithms. Names in options, errors, results, tests and legends come
// from here.
namespace gatherbench {

using Generator = Schedule(const Problem&);

/// What an algorithm demands of the number of ranks.
enum class Needs { nothing, even_ranks, power_of_two_ranks };

/// Moved by a call into the MPI library instead of by a schedule.
enum class LibraryCall { none, allgather };

/// A count as a function of p, and how the papers write it.
struct Formula {
  std::string_view text;
  std::int64_t (*at)(std::int64_t ranks);
};

struct Algorithm {
  std::string_view name;     ///< what --algorithms takes and the result file holds
  std::string_view summary;  ///< one line for --list
  std::string_view source;   ///< author, year, section
  Needs needs = Needs::nothing;
  bool in_thesis = false;  ///< one of the five that Loch 2021 measured
  Formula steps = {};      ///< of the rank that has most
  /// Of all ranks together, with equal blocks and a message for each run of blocks that lie
  /// together.
  Formula messages = {};
  Generator* schedule = nullptr;  ///< null for a library call
  LibraryCall library_call = LibraryCall::none;
};

/// All of them, in the order in which they are listed, run by default and drawn.
std::span<const Algorithm> all_algorithms();

/// Null if there is none of that name.
const Algorithm* find_algorithm(std::string_view name);

/// The names that --algorithms takes: of sets ("all", "thesis"), then of algorithms.
std::vector<std::string_view> legal_algorithm_names();

/// An algorithm as the user asked for it. For a library call, `variant` names the library's own
/// algorithm ("ring" of "native:ring"); empty leaves the choice to the library.
struct Choice {
  const Algorithm* algorithm;
  std::string variant;
  /// As the user writes it and the result file holds it.
  [[nodiscard]] std::string label() const;
  bool operator==(const Choice&) const = default;
};

/// The algorithms of a comma-separated list of names and sets, each once, in the order given.
/// Whether the library at hand has a variant is not known here. Throws InputError that names
/// `option`.
std::vector<Choice> parse_algorithms(std::string_view option, std::string_view list);

/// Empty if the algorithm can run with this many ranks, else why not, for people.
std::string why_not(const Algorithm& algorithm, int ranks);

/// For tables: "any p", "even p", "power-of-two p".
std::string_view needs_text(Needs needs);

}  // namespace gatherbench
