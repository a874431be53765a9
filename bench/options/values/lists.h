// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/options/values/words.h"

// Options whose value is a list: --mapping, --record and --tail-lat. They throw InputError.
namespace gatherbench::bench {

/// What the user says about a launch, for the result file's metadata.
struct Note {
  std::string key;
  std::string value;
};

/// Adds what "KEY=VALUE" says to the notes, each of which has another key. Throws InputError.
void add_note(std::vector<Note>& notes, std::string_view option, const std::string& text);

/// Each at most once, in the order given.
std::vector<Mapping> parse_mappings(std::string_view option, std::string_view text);

/// In the order of the table, whatever was given.
std::vector<formats::File> parse_recorded(std::string_view option, std::string_view text);

/// From 1 to 99, at most 5.
std::vector<double> parse_percentiles(std::string_view option, std::string_view text);

}  // namespace gatherbench::bench
