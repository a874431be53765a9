// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gatherbench::bench {

/// What the user says about a launch, for the result file's metadata.
struct Note {
  std::string key;
  std::string value;
};

/// Adds what "KEY=VALUE" says to the notes, each of which has another key. Throws InputError.
void add_note(std::vector<Note>& notes, std::string_view option, const std::string& text);

}  // namespace gatherbench::bench
