// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/options/values/words.h"

// Options whose value is a list: --mapping, --record and --tail-lat. They throw InputError.
namespace gatherbench::bench {

/// A remark of the user about a launch, for the result file's metadata.
struct Note {
  std::string key;
  std::string value;
};

/// Adds what "KEY=VALUE" says to the notes, each of which has another key. Throws InputError.
void add_note(std::vector<Note>& notes, std::string_view option, const std::string& text);

/// Reads mappings; each comes back once, in the order given.
std::vector<Mapping> parse_mappings(std::string_view option, std::string_view text);

/// Reads the names of files to record; they come back in the order of the table.
std::vector<formats::File> parse_recorded(std::string_view option, std::string_view text);

/// Reads at most 5 percentiles, from 1 to 99.
std::vector<double> parse_percentiles(std::string_view option, std::string_view text);

}  // namespace gatherbench::bench
