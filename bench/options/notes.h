// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gatherbench::bench {

/// What the user says about a launch, for the result file's metadata.
struct Note {
  std::string key;
  std::string value;
};

/// From "KEY=VALUE" each; a key at most once. Throws InputError.
std::vector<Note> parse_notes(std::string_view option, std::span<const std::string> texts);

}  // namespace gatherbench::bench
